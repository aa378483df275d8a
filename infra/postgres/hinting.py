"""Tells other processes that lanes have new events: the sending side of `infra.postgres.hints`.

A hint inside an append would be part of its commit. But Postgres lets commits that notify go one after the other, so they
would not share a flush, and lanes would not add up. So a hint is sent after the commit, over a connection of its own,
and for all commits of a few milliseconds together. A hint that is lost costs time and nothing else, because whoever
waits for it looks by the clock too.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import asyncpg

from infra.postgres.connections import CONNECT_SECONDS_MAX, PASSING, Connection
from infra.postgres.queries import query

HINT_SECONDS = 0.003
"""All commits of so long a time are told together."""


class Hinter:
    """Sends hints, over a connection that is opened when there is something to tell."""

    def __init__(self, connect: Callable[[], Awaitable[Connection]]) -> None:
        self._connect = connect
        self._connection: Connection | None = None
        self._due: dict[str, int] = {}
        """The position that each lane has reached, of which nobody was told yet."""
        self._sending: asyncio.Task[None] | None = None

    def reached(self, lane: str, position: int) -> None:
        """Tell soon that a lane has events up to a position. They are durable already."""
        if not position:
            return  # The append stored nothing.
        self._due[lane] = max(position, self._due.get(lane, 0))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    async def close(self) -> None:
        """Tell what is left, and disconnect; it is no error if the server is gone."""
        if self._sending is not None:
            await asyncio.wait((self._sending,))
        if self._connection is not None:
            with suppress(*PASSING):
                await self._connection.close(timeout=CONNECT_SECONDS_MAX)

    async def _send(self) -> None:
        while self._due:
            due, self._due = self._due, {}
            hints = [f"{lane} {position}" for lane, position in due.items()]
            try:
                await self._tell(hints)
            except (*PASSING, asyncpg.PostgresError):
                self._forget_connection()  # The next hint, or the clock of those who wait, makes up for these.
            await asyncio.sleep(HINT_SECONDS)

    async def _tell(self, hints: list[str]) -> None:
        if self._connection is None or self._connection.is_closed():
            self._connection = await self._connect()
        await self._connection.execute(query("hint"), hints, timeout=CONNECT_SECONDS_MAX)

    def _forget_connection(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None
