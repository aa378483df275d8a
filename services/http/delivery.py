"""Delivers answers: adds an entity tag, compresses if the reader accepts it, and sends no body that the reader has.

The tag is a hash of the answer before compression, followed by the name of the encoding: a strong tag must differ if
the sent bytes differ.
"""

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from http import HTTPStatus
from typing import Any, TypeAlias

from litestar.datastructures import Headers, MutableScopeHeaders

from services.http.encodings import STREAMED, WHOLE, Compressor, chosen

Message: TypeAlias = Any
Receive: TypeAlias = "Callable[[], Awaitable[Any]]"
Send: TypeAlias = "Callable[[Any], Awaitable[None]]"
App: TypeAlias = "Callable[[Any, Any, Any], Awaitable[None]]"

COMPRESSED_BYTES_MIN = 500
"""Compression gains almost nothing on smaller answers."""
THREAD_BYTES_MIN = 32 * 1024
"""Compressing this many bytes takes about a millisecond."""
_COMPRESSED = (
    "text/",
    "application/json",
    "application/x-ndjson",
    "application/problem+json",
    "application/vnd.oai",
    "application/proto",
    "application/manifest+json",
    "image/svg+xml",
)
_NEVER_COMPRESSED = "text/event-stream"
_VARY = ("Authorization", "Accept-Encoding")


class _HeadIsEnough(Exception):  # noqa: N818 - no error, but the way to stop the application
    """The reader asked only for the head of an answer, and has it."""


class Delivery:
    """A layer around an application that delivers its answers."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Deliver one answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer(scope["method"], Headers.from_scope(scope), send)
        if answer.head_only:
            scope["method"] = "GET"
        try:
            await self._app(scope, receive, answer.take)
        except Exception:
            # A reader who asked only for the head has it already, so a failure in the body does not matter.
            if not answer.head_only or not answer.is_sent:
                raise


class _Answer:
    """One answer on its way to the reader."""

    def __init__(self, method: str, asked: Headers, send: Send) -> None:
        self._send = send
        self.head_only, self.is_sent = method == "HEAD", False
        self._tagged = method in ("GET", "HEAD")
        self._known = tags_of(asked.get("if-none-match", ""))
        self._encoding = chosen(asked.get("accept-encoding", ""))
        self._start: Message = {}
        self._compressor: Compressor | None = None

    async def take(self, message: Message) -> None:
        """Take a message from the application."""
        if message["type"] == "http.response.start":
            self._start = message  # The head waits for the body, because it has to name the tag and length of the body.
        elif self._start:
            start, self._start = self._start, {}
            await self._begin(start, message)
        elif message["type"] == "http.response.body":
            await self._continue(message)
        else:
            await self._send(message)

    async def _begin(self, start: Message, message: Message) -> None:
        headers = MutableScopeHeaders.from_message(start)
        headers["Vary"] = ", ".join(dict.fromkeys([*_listed(headers.get("vary", "")), *_VARY]))
        if allowed := headers.get("allow", ""):
            headers["Allow"] = ", ".join(_with_head(_listed(allowed)))
        if message.get("more_body"):
            await self._begin_stream(start, headers, message)
        else:
            await self._send_whole(start, headers, message.get("body", b""))

    async def _send_whole(self, start: Message, headers: MutableScopeHeaders, body: bytes) -> None:
        encoding = (
            self._encoding
            if len(body) >= COMPRESSED_BYTES_MIN and is_compressed(headers.get("content-type", ""))
            else None
        )
        if self._tagged and start["status"] == HTTPStatus.OK and headers.get("cache-control") != "no-store":
            plain = urlsafe_b64encode(sha256(body).digest()[:18]).decode()
            headers["ETag"] = f'"{plain}-{encoding}"' if encoding else f'"{plain}"'
            if self._known & {"*", *(f'"{plain}{suffix}"' for suffix in ("", *(f"-{name}" for name in WHOLE)))}:
                start["status"], body, encoding = HTTPStatus.NOT_MODIFIED.value, b"", None
                for name in ("content-length", "content-type", "content-disposition"):
                    with suppress(KeyError):
                        del headers[name]
        if encoding:
            body = await _off_the_loop(WHOLE[encoding], body)
            headers["Content-Encoding"] = encoding
        if start["status"] not in (HTTPStatus.NOT_MODIFIED, HTTPStatus.NO_CONTENT):
            headers["Content-Length"] = str(len(body))
        await self._send(start)
        self.is_sent = True
        await self._send({"type": "http.response.body", "body": b"" if self.head_only else body})

    async def _begin_stream(self, start: Message, headers: MutableScopeHeaders, message: Message) -> None:
        if self._encoding and is_compressed(headers.get("content-type", "")):
            self._compressor = STREAMED[self._encoding]()
            headers["Content-Encoding"] = self._encoding
        await self._send(start)
        if self.head_only:
            await self._send({"type": "http.response.body", "body": b""})
            self.is_sent = True
            raise _HeadIsEnough
        await self._continue(message)

    async def _continue(self, message: Message) -> None:
        body, more = message.get("body", b""), message.get("more_body", False)
        if self._compressor is not None:
            body = await _off_the_loop(self._compressor.compress, body) + (b"" if more else self._compressor.flush())
        if body or not more:
            await self._send({"type": "http.response.body", "body": body, "more_body": more})


async def _off_the_loop(compress: Callable[[bytes], bytes], body: bytes) -> bytes:
    """The compressed body. A thread compresses a large one meanwhile, because compressors let go of the interpreter."""
    return compress(body) if len(body) < THREAD_BYTES_MIN else await asyncio.to_thread(compress, body)


def is_compressed(media_type: str) -> bool:
    """Whether answers of a kind are compressed."""
    return media_type.startswith(_COMPRESSED) and not media_type.startswith(_NEVER_COMPRESSED)


def tags_of(header: str) -> set[str]:
    """The tags of an `If-None-Match`. For reading, a weak tag is as good as a strong one."""
    return {tag.removeprefix("W/") for tag in _listed(header)}


def _with_head(methods: Iterable[str]) -> list[str]:
    """Methods that a path has. This layer answers HEAD wherever GET is, and the application does not know it."""
    known = set(methods)
    return sorted(known | {"HEAD"} if "GET" in known else known)


def _listed(header: str) -> Iterable[str]:
    return (part for item in header.split(",") if (part := item.strip()))
