"""One end of the pair of sockets between the supervisor and a process."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Self

from infra.workers.frames import receive, send


class Link:
    """One end. The other end is gone when the messages end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Use `over`."""
        self._reader, self._writer = reader, writer
        self._turn = asyncio.Lock()

    @classmethod
    async def over(cls, end: socket.socket) -> Self:
        """The link over a socket, which it owns from now on."""
        return cls(*await asyncio.open_connection(sock=end))

    async def tell(self, message: Any) -> None:
        """Send a message; if the other end is gone, nobody needs it."""
        async with self._turn:
            if not self._writer.is_closing():
                with suppress(ConnectionError):
                    await send(self._writer, message)

    async def next(self) -> Any:
        """The next message; raises `EOFError` if the other end is gone."""
        return await receive(self._reader)

    async def __aiter__(self) -> AsyncIterator[Any]:
        with suppress(EOFError):
            while True:
                yield await self.next()

    def close(self) -> None:
        """Hang up."""
        self._writer.close()
