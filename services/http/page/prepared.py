"""Answers that are the same for everybody until the program changes: with their headers, tags and compressed forms."""

import asyncio
import gzip
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from hashlib import sha256
from http import HTTPStatus
from typing import Any

import zstandard
from litestar.datastructures import Headers

from services.http.delivery import COMPRESSED_BYTES_MIN, Send, is_compressed, tags_of
from services.http.encodings import chosen

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "zstd": lambda body: zstandard.ZstdCompressor(level=19).compress(body),
    "gzip": lambda body: gzip.compress(body, 9, mtime=0),
}
"""Compress as well as they can, however long it takes: they do it once."""


class Prepared:
    """An answer that is ready to be sent."""

    def __init__(self, body: bytes, media_type: str, headers: Mapping[str, str]) -> None:
        self._body = body
        self._tag = urlsafe_b64encode(sha256(body).digest()[:18]).decode()
        self._packable = len(body) >= COMPRESSED_BYTES_MIN and is_compressed(media_type)
        always = {**headers, **({"Vary": "Accept-Encoding"} if self._packable else {})}
        encodings = (None, *PACKERS) if self._packable else (None,)
        self._unchanged = {one: _written({**always, "ETag": self._tag_in(one)}) for one in encodings}
        kind = _written({"Content-Type": media_type})
        self._heads = {
            one: same + kind + (_written({"Content-Encoding": one}) if one else [])
            for one, same in self._unchanged.items()
        }
        self._known = frozenset({"*", *(self._tag_in(one) for one in encodings)})
        self._packing: dict[str, asyncio.Future[bytes]] = {}

    async def send(self, scope: Any, send: Send, status: HTTPStatus = HTTPStatus.OK) -> None:
        """Answer a GET or a HEAD."""
        asked = Headers.from_scope(scope)
        encoding = chosen(asked.get("accept-encoding", "")) if self._packable else None
        if status is HTTPStatus.OK and not self._known.isdisjoint(tags_of(asked.get("if-none-match", ""))):
            await _send(send, HTTPStatus.NOT_MODIFIED, self._unchanged[encoding], b"")
            return
        body = await self._body_in(encoding)
        head = [*self._heads[encoding], (b"content-length", str(len(body)).encode())]
        await _send(send, status, head, b"" if scope["method"] == "HEAD" else body)

    async def _body_in(self, encoding: str | None) -> bytes:
        """The body in an encoding, which a thread makes for the first reader who asks for it."""
        if encoding is None:
            return self._body
        if encoding not in self._packing:
            self._packing[encoding] = asyncio.ensure_future(asyncio.to_thread(PACKERS[encoding], self._body))
        # A reader who goes away must not take it from the others who wait for it.
        return await asyncio.shield(self._packing[encoding])

    def _tag_in(self, encoding: str | None) -> str:
        return f'"{self._tag}-{encoding}"' if encoding else f'"{self._tag}"'


async def _send(send: Send, status: HTTPStatus, head: list[tuple[bytes, bytes]], body: bytes) -> None:
    await send({"type": "http.response.start", "status": status.value, "headers": [*head]})
    await send({"type": "http.response.body", "body": body})


def _written(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]
