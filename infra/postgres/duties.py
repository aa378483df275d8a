"""Which lanes this server keeps: the work for a lane that is to be done once is done by one server at a time.

A server keeps a lane for a term, a few seconds at a time, and says again each second that it goes on. If it ends, it gives
its lanes up; if it dies, its terms run out. Then another server takes the lane and begins the next term. All servers
that are alive take their share of the lanes, so one that is new gets some from the others.

A server that was stopped and wakes up may not know yet that its term is over. Whoever writes what only the keeper of a lane
may write calls `check` in the same transaction: it fails if the term is over, and holds off a new one until the end.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Self

import asyncpg
from msgspec import Struct

from infra.postgres.connections import PASSING, Connection, open_pool
from infra.postgres.failures import StoreFailed
from infra.postgres.lanes import lane_name
from infra.postgres.queries import query

ROLE = "liarsdice_projector"
TERM_SECONDS = 4.0
"""A server that is dead for so long has lost its lanes."""
RENEW_SECONDS = 1.0
_MARGIN_SECONDS = 0.5
"""Here a term ends earlier than in the database, so that two clocks need not agree."""
_LOG = logging.getLogger(__name__)


class DutyLost(StoreFailed):
    """Another server keeps lane {lane} now."""


class _Term(Struct, frozen=True):
    number: int
    until: float
    """The monotonic time at which it ends, unless it is renewed."""


class Duties:
    """The lanes that this server keeps."""

    def __init__(self, pool: "asyncpg.Pool[Any]", lanes: int) -> None:
        """Use `open`."""
        self._pool, self._lanes = pool, lanes
        self._id = secrets.token_hex(8)
        self._terms: dict[int, _Term] = {}
        self._servers = 1
        self._resigned = False
        self._looked = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, url: str, lanes: int) -> Self:
        """Take a share of the lanes, and keep it until `close`."""
        duties = cls(await open_pool(url, ROLE, size_max=1, derived=True), lanes)
        await duties._look()
        duties._task = asyncio.create_task(duties._run())
        return duties

    async def close(self) -> None:
        """Give all lanes up."""
        await self._fall_silent()
        with suppress(*PASSING, asyncpg.PostgresError):
            for lane in list(self._terms):
                await self._give_up(lane)
            await self._pool.execute(query("forget_server"), self._id)
        with suppress(*PASSING):
            await self._pool.close()

    async def _fall_silent(self) -> None:
        """Renew nothing any more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def resign(self) -> None:
        """Keep no lane any more: there is something in the store that only newer servers can read."""
        self._resigned = True
        _LOG.error("a newer program has stored events that this one can't read: it leaves its lanes to other servers")
        with suppress(*PASSING, asyncpg.PostgresError):
            await self._look()

    @property
    def resigned(self) -> bool:
        """Whether this server leaves all lanes to others."""
        return self._resigned

    @property
    def lanes(self) -> frozenset[int]:
        """The lanes that this server keeps now."""
        now = time.monotonic()
        return frozenset(lane for lane, term in self._terms.items() if term.until > now)

    @property
    def alone(self) -> bool:
        """Whether there is no other server."""
        return self._servers == 1

    async def some(self) -> frozenset[int]:
        """The lanes that this server keeps, as soon as there are any."""
        while not self.lanes:
            self._looked.clear()
            await self._looked.wait()
        return self.lanes

    async def check(self, connection: Connection, lane: int) -> None:
        """Fail unless this server keeps a lane; if it does, it keeps it until the transaction has ended."""
        term = self._terms.get(lane)
        if term is None or not await connection.fetchval(query("check_duty", lane_name(lane)), term.number):
            self._terms.pop(lane, None)
            raise DutyLost(lane=lane)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            try:
                await self._look()
            except (*PASSING, asyncpg.PostgresError) as error:
                _LOG.warning("could not renew the lanes of this server (%s); trying again", type(error).__name__)

    async def _look(self) -> None:
        """Renew what this server keeps, and keep its share: give lanes up to new servers, or take those without a keeper."""
        if self._resigned:
            await self._leave_to_others()
            return
        self._servers = await self._pool.fetchval(query("note_server"), self._id, TERM_SECONDS)
        share = -(-self._lanes // self._servers)
        for lane in list(self._terms):
            await (self._renew(lane) if len(self._terms) <= share else self._give_up(lane))
        for lane in range(self._lanes):
            if len(self._terms) >= share:
                break
            if lane not in self._terms:
                await self._take(lane)
        self._looked.set()

    async def _leave_to_others(self) -> None:
        """Give all lanes up, and count among those that share them no more."""
        for lane in list(self._terms):
            await self._give_up(lane)
        await self._pool.execute(query("forget_server"), self._id)
        self._servers = max(
            self._servers, 2
        )  # Others may be there: this server waits for them before it moves for anybody.

    async def _renew(self, lane: int) -> None:
        until = _until()
        sql = query("renew_duty", lane_name(lane))
        if await self._pool.fetchval(sql, self._terms[lane].number, TERM_SECONDS) is None:
            del self._terms[lane]
        else:
            self._terms[lane] = _Term(self._terms[lane].number, until)

    async def _take(self, lane: int) -> None:
        until = _until()
        number = await self._pool.fetchval(query("take_duty", lane_name(lane)), TERM_SECONDS)
        if number is not None:
            self._terms[lane] = _Term(number, until)

    async def _give_up(self, lane: int) -> None:
        term = self._terms.pop(lane)
        await self._pool.execute(query("give_up_duty", lane_name(lane)), term.number)


def _until() -> float:
    """When a term ends that is renewed from now on."""
    return time.monotonic() + TERM_SECONDS - _MARGIN_SECONDS


@asynccontextmanager
async def duties_of(url: str, lanes: int) -> AsyncIterator[Duties]:
    """The duties of this server, until the block ends."""
    duties = await Duties.open(url, lanes)
    try:
        yield duties
    finally:
        await duties.close()
