"""A channel like gRPC's over the door for browsers, so that the same stories are told over every protocol.

Messages go through Google's own mapping to JSON, not through ours. HTTP/1.1 has no two directions at once: where a call
takes many requests, those that were written so far are sent when an answer is read, and the next ones open a new call.
"""

import asyncio
import json
import struct
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import unquote

import grpc
import httpx
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.json_format import MessageToJson, Parse
from google.protobuf.message_factory import GetMessageClass
from google.rpc.status_pb2 import Status

from tests.rpc.servers import METHODS

PROTOCOLS = ("connect+json", "connect+proto", "grpc-web", "grpc-web-text")
END, TRAILERS = 2, 0x80
_BY_PATH: dict[str, Any] = dict(METHODS.values())
_CODES = {code.name.lower(): code for code in grpc.StatusCode} | {"canceled": grpc.StatusCode.CANCELLED}
_OF_NUMBER = {code.value[0]: code for code in grpc.StatusCode}


def enveloped(content: bytes, flags: int = 0) -> bytes:
    """An envelope."""
    return struct.pack("!BI", flags, len(content)) + content


def failed(code: grpc.StatusCode, message: str, details: bytes = b"") -> grpc.aio.AioRpcError:
    """A failed call, as gRPC's library would raise it."""
    trailing = grpc.aio.Metadata(("grpc-status-details-bin", details))
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), trailing, message)


def error_of_connect(told: dict[str, Any]) -> grpc.aio.AioRpcError:
    """The failure that Connect tells in JSON. Its readable details must say the same as the others."""
    code = _CODES[told["code"]]
    details = []
    for one in told.get("details", []):
        packed = AnyMessage(type_url=f"type.googleapis.com/{one['type']}", value=b64decode(one["value"] + "=="))
        details.append(packed)
    status = Status(code=code.value[0], message=told["message"], details=details)
    return failed(code, told["message"], status.SerializeToString())


def error_of_web(trailers: bytes) -> grpc.aio.AioRpcError | None:
    """The failure that gRPC-Web tells in its trailers; None if there is none."""
    found = dict(line.split(": ", 1) for line in trailers.decode().split("\r\n") if line)
    if found["grpc-status"] == "0":
        return None
    details = b64decode(found.get("grpc-status-details-bin", "") + "==")
    return failed(_OF_NUMBER[int(found["grpc-status"])], unquote(found.get("grpc-message", "")), details)


class DoorChannel:
    """Makes calls over one of the protocols of the door."""

    def __init__(self, url: str, protocol: str) -> None:
        self.protocol = protocol
        self._client = httpx.AsyncClient(base_url=url, timeout=60, limits=httpx.Limits(max_connections=None))

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    @property
    def is_json(self) -> bool:
        return self.protocol.endswith("json")

    @property
    def is_connect(self) -> bool:
        return self.protocol.startswith("connect")

    def packed(self, path: str, raw: bytes) -> bytes:
        """A request in the form of the protocol."""
        if not self.is_json:
            return raw
        return MessageToJson(GetMessageClass(_BY_PATH[path].input_type).FromString(raw)).encode()

    def unpacked(self, path: str, raw: bytes) -> bytes:
        """An answer as the bytes of protobuf."""
        if not self.is_json:
            return raw
        answer: bytes = Parse(raw, GetMessageClass(_BY_PATH[path].output_type)()).SerializeToString()
        return answer

    def unary_unary(self, path: str) -> Any:
        """A method with one answer."""

        async def call(raw: bytes, metadata: Any = (), timeout: float = 60) -> bytes:  # noqa: ASYNC109 - as gRPC's
            if not self.is_connect:
                stream = DoorStream(self, path, metadata, timeout)
                await stream.write(raw)
                answer = await stream.read()
                if answer is grpc.aio.EOF:
                    raise await stream.failure()
                assert await stream.read() is grpc.aio.EOF
                return bytes(answer)
            headers = {"content-type": f"application/{self.protocol.partition('+')[2]}", **dict(metadata)}
            answer = await self._client.post(path, content=self.packed(path, raw), headers=headers)
            if answer.status_code != 200:
                raise error_of_connect(answer.json())
            assert answer.headers["content-type"] == headers["content-type"]
            return self.unpacked(path, answer.content)

        return call

    def unary_stream(self, path: str) -> Any:
        """A method with one request and many answers."""

        def call(raw: bytes, metadata: Any = (), timeout: float = 60) -> "DoorStream":
            stream = DoorStream(self, path, metadata, timeout)
            stream.asked.append(raw)
            return stream

        return call

    def stream_stream(self, path: str) -> Any:
        """A method with many requests and many answers."""
        return lambda metadata=(), timeout=60: DoorStream(self, path, metadata, timeout)

    def open(self, path: str, asked: list[bytes], metadata: Any) -> Any:
        """Send the requests of a stream."""
        body = b"".join(enveloped(self.packed(path, raw)) for raw in asked)
        kind = "application/" + (self.protocol if self.is_connect else f"{self.protocol}+proto")
        content = b64encode(body) if self.protocol == "grpc-web-text" else body
        return self._client.stream("POST", path, content=content, headers={"content-type": kind, **dict(metadata)})


class DoorStream:
    """A call on which many answers come, like one of gRPC's library."""

    def __init__(self, channel: DoorChannel, path: str, metadata: Any, seconds: float) -> None:
        self._channel, self._path, self._metadata, self._seconds = channel, path, metadata, seconds
        self.asked: list[bytes] = []
        self._receiving: asyncio.Task[None] | None = None
        self._received: asyncio.Queue[tuple[int, bytes] | Exception] = asyncio.Queue()
        self._failure: grpc.aio.AioRpcError | None = None

    async def write(self, raw: bytes) -> None:
        """Ask for something; it is sent when the next answer is read."""
        self.asked.append(raw)

    async def done_writing(self) -> None:
        """Nothing: over HTTP the caller is always done with asking before answers come."""

    async def read(self) -> Any:
        """The next answer, or the end."""
        if self.asked:
            self.cancel()
            asked, self.asked = self.asked, []
            self._received = asyncio.Queue()
            self._receiving = asyncio.create_task(self._receive(asked, self._received))
        if self._receiving is None:
            return grpc.aio.EOF
        async with asyncio.timeout(self._seconds):
            envelope = await self._received.get()
        if isinstance(envelope, Exception):
            raise envelope
        flags, content = envelope
        if flags == 0:
            return self._channel.unpacked(self._path, content)
        assert flags == (END if self._channel.is_connect else TRAILERS)
        if self._channel.is_connect:
            error = json.loads(content).get("error")
            self._failure = None if error is None else error_of_connect(error)
        else:
            self._failure = error_of_web(content)
        await self._receiving
        assert self._received.empty(), "nothing comes after the end"
        self._receiving = None
        return grpc.aio.EOF

    async def _receive(self, asked: list[bytes], received: "asyncio.Queue[tuple[int, bytes] | Exception]") -> None:
        try:
            async for envelope in self._envelopes(asked):
                received.put_nowait(envelope)
        except (httpx.HTTPError, AssertionError) as error:
            received.put_nowait(error)

    async def _envelopes(self, asked: list[bytes]) -> AsyncIterator[tuple[int, bytes]]:
        async with self._channel.open(self._path, asked, self._metadata) as answer:
            assert answer.status_code == 200, answer.status_code
            received, text = b"", b""
            async for chunk in answer.aiter_raw():
                if self._channel.protocol == "grpc-web-text":
                    text += chunk
                    received += b"".join(b64decode(text[at : at + 4]) for at in range(0, len(text) // 4 * 4, 4))
                    text = text[len(text) // 4 * 4 :]
                else:
                    received += chunk
                while len(received) >= 5:
                    flags, length = struct.unpack("!BI", received[:5])
                    if len(received) < 5 + length:
                        break
                    yield flags, received[5 : 5 + length]
                    received = received[5 + length :]
            assert received == b"", "a stream ends with a whole envelope"

    async def failure(self) -> grpc.aio.AioRpcError:
        """Why the call failed."""
        assert self._failure is not None
        return self._failure

    async def code(self) -> grpc.StatusCode:
        """How the call ended."""
        return grpc.StatusCode.OK if self._failure is None else self._failure.code()

    async def details(self) -> str:
        """The sentence of a failure."""
        return "" if self._failure is None else self._failure.details() or ""

    async def trailing_metadata(self) -> Any:
        """The details of a failure."""
        return () if self._failure is None else self._failure.trailing_metadata()

    def cancel(self) -> None:
        """Hang up."""
        if self._receiving is not None:
            self._receiving.cancel()
            self._receiving = None
