"""A stream of answers over HTTP: Connect's and gRPC-Web's, which differ only in how they begin and end."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterable
from http import HTTPStatus

from google.protobuf.message import Message

from domain.values import Value
from services.connect.codec import Codec
from services.connect.envelope import END, TRAILERS, enveloped
from services.connect.failure import Failure, connect_end, deadline_exceeded, failure_of, trailers
from services.connect.request import Request
from services.http.delivery import Send
from services.rpc.method import StreamMethod

_HEADERS = ((b"cache-control", b"no-store"), (b"x-accel-buffering", b"no"))
"""Nobody keeps a stream, and a proxy must not hold it back."""


def _as_it_is(raw: bytes) -> bytes:
    return raw


class Framing(Value, frozen=True):
    """How a protocol writes a stream."""

    content_type: str
    codec: Codec
    end: Callable[[Failure | None], bytes]
    """The last envelope."""
    coded: Callable[[bytes], bytes] = _as_it_is
    """What becomes of the bytes of each envelope."""


def _connect_end(failure: Failure | None) -> bytes:
    return enveloped(connect_end(failure), END)


def _web_end(failure: Failure | None) -> bytes:
    return enveloped(trailers(0) if failure is None else failure.as_trailers(), TRAILERS)


def connect_framing(codec: Codec) -> Framing:
    """How Connect writes streams."""
    return Framing(f"application/connect+{codec.name}", codec, _connect_end)


def web_framing(codec: Codec, *, as_text: bool) -> Framing:
    """How gRPC-Web writes all answers; `as_text` for clients that can read only text while it comes."""
    kind = "grpc-web-text" if as_text else "grpc-web"
    return Framing(f"application/{kind}+{codec.name}", codec, _web_end, b64encode if as_text else _as_it_is)


class HttpStream:
    """The stream of a call; it is what a method sees of it."""

    def __init__(self, request: Request, framing: Framing, answer_type: type[Message], send: Send) -> None:
        self.address, self.token = request.address, request.token
        self._framing, self._answer_type, self._send = framing, answer_type, send
        self._is_open = False

    async def begin(self) -> None:
        """Send the head of the answer."""
        if self._is_open:
            return
        self._is_open = True
        headers = [(b"content-type", self._framing.content_type.encode()), *_HEADERS]
        await self._send({"type": "http.response.start", "status": HTTPStatus.OK.value, "headers": headers})
        # Without a first piece of the body, the layers around us would wait for one.
        await self._send({"type": "http.response.body", "body": b"", "more_body": True})

    async def send(self, message: bytes) -> None:
        """Send one answer."""
        await self.begin()
        written = enveloped(self._framing.codec.shared(message, self._answer_type))
        try:
            await self._send({"type": "http.response.body", "body": self._framing.coded(written), "more_body": True})
        except TimeoutError:
            raise asyncio.CancelledError from None  # The caller takes nothing, which is as good as gone.

    async def end(self, failure: Failure | None) -> None:
        """Send the end of the stream."""
        await self.begin()
        last = self._framing.coded(self._framing.end(failure))
        await self._send({"type": "http.response.body", "body": last})


async def answer_stream(
    method: StreamMethod, stream: HttpStream, messages: Iterable[bytes], request: Request, seconds: float | None
) -> None:
    """Answer a call on its stream until it ends, its time is over, or its caller is gone."""
    answering = asyncio.create_task(_answered(method, stream, messages, seconds))
    leaving = asyncio.create_task(request.gone())
    try:
        await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
        if answering.done() and not answering.cancelled():
            await stream.end(answering.result())
    finally:
        answering.cancel()
        leaving.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)


async def _answered(
    method: StreamMethod, stream: HttpStream, messages: Iterable[bytes], seconds: float | None
) -> Failure | None:
    """Why a call failed, after all its answers were sent; None if it did not fail."""
    deadline = asyncio.timeout(seconds)
    try:
        async with deadline:
            await method.stream(stream, _each(messages))
    except Exception as error:  # noqa: BLE001 - the caller gets every failure, but nothing secret
        return deadline_exceeded() if deadline.expired() else failure_of(error, method.request_type)
    return None


async def _each(messages: Iterable[bytes]) -> AsyncIterator[bytes]:
    # They are unpacked and read one by one, once the caller is admitted.
    for message in messages:
        yield message
