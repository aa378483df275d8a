"""A network that fails on demand: between a client and a server it can swallow answers and cut every connection."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Self


class Proxy:
    """Carries bytes between clients and a server."""

    def __init__(self, server_address: str) -> None:
        self._host, _, self._port = server_address.rpartition(":")
        self._writers: set[asyncio.StreamWriter] = set()
        self.swallowing = False
        """Whether what the server says is lost."""
        self.address = ""
        self.connections = 0

    @classmethod
    @asynccontextmanager
    async def to(cls, server_address: str) -> AsyncIterator[Self]:
        """A proxy that listens on a port of its own."""
        proxy = cls(server_address)
        listener = await asyncio.start_server(proxy._connected, "127.0.0.1", 0)
        host, port = listener.sockets[0].getsockname()
        proxy.address = f"{host}:{port}"
        try:
            yield proxy
        finally:
            listener.close()
            proxy.cut()

    def cut(self) -> None:
        """Cut all connections, at once and without a word."""
        for writer in self._writers:
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        up_reader, up_writer = await asyncio.open_connection(self._host, int(self._port))
        self._writers.add(up_writer)
        try:
            await asyncio.gather(self._carry(reader, up_writer), self._carry(up_reader, writer, down=True))
        finally:
            self._writers -= {writer, up_writer}

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, down: bool = False) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                if not (down and self.swallowing):
                    writer.write(data)
        writer.transport.abort()
