"""A page for a browser, from a server of its own, which also hears what the page found out."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any

_PAGE = b'<!doctype html><meta charset="utf-8"><script type="module" src="/program.js"></script>'


class Page:
    """A page with one program."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.origin = "http://{}:{}".format(*self._socket.getsockname())
        self._program = Path()
        self._told: asyncio.Future[Any]

    @asynccontextmanager
    async def shown(self, program: Path) -> AsyncIterator[None]:
        """Serve the page with this program."""
        self._program, self._told = program, asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(self._connected, sock=self._socket)
        try:
            yield
        finally:
            server.close()

    async def told(self) -> Any:
        """What the page says when it is done."""
        return await self._told

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Browsers open connections in advance, on which they may never ask for anything.
        with closing(writer), suppress(asyncio.IncompleteReadError):
            await self._answer(reader, writer)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        kind, content = "text/html", _PAGE
        if head.startswith("post /told "):
            length = head.partition("content-length: ")[2].partition("\r\n")[0]
            self._told.set_result(json.loads(await reader.readexactly(int(length))))
        elif head.startswith("get /program.js "):
            kind, content = "text/javascript", self._program.read_bytes()
        heading = (
            f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\nConnection: close\r\n\r\n"
        )
        writer.write(heading.encode() + content)
        await writer.drain()
