"""Reading the event store, with a role that may only read; it needs neither an appender nor a key."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, Self, TypeVar

import asyncpg
from eventsourcing.persistence import Notification, StoredEvent

from infra.postgres.appended import Appended, repeated
from infra.postgres.appending import CLOSE_SECONDS_MAX
from infra.postgres.connections import PASSING, act_as, connect, open_pool
from infra.postgres.failures import StoreClosed, StoreUnreadable
from infra.postgres.lanes import lane_name, lane_of
from infra.postgres.migrating import check_migrated, lanes_of_store
from infra.postgres.queries import query

ROLE = "liarsdice_reader"
READERS_MAX = 4
STREAM_PAGE = 1_000
READ_TRIES_MAX = 5

Result = TypeVar("Result")


class Owned(NamedTuple):
    """How much a player has that is not over."""

    tables: int
    practice_games: int
    bot_games: int


class Batch(NamedTuple):
    """Events of a lane in order."""

    reached: int
    """The position up to which these are all that were asked for."""
    events: list[Notification]
    is_whole: bool = False
    """Whether all events of the lane were asked for."""


class EventReader:
    """All lanes of a store, for reading."""

    def __init__(self, url: str, lanes: int, readers: "asyncpg.Pool[Any]") -> None:
        """Use `open`."""
        self.url, self.lanes, self._readers = url, lanes, readers

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connect to a store that is up to date."""
        lanes = await checked_lanes(url, ROLE)
        return cls(url, lanes, await open_readers(url))

    async def close(self) -> None:
        """Disconnect; it is no error if the server is gone."""
        with suppress(*PASSING):
            async with asyncio.timeout(CLOSE_SECONDS_MAX):
                await self._readers.close()

    async def read_stream(self, stream: str, after: int = 0) -> list[StoredEvent]:
        """The events of a stream after a version, in order."""
        sql, events = query("read_stream", self._lane_of(stream)), list[StoredEvent]()
        while True:
            # Page by page: taking in all rows of a long stream at once would hold up the event loop.
            rows = await self._patiently(partial(self._readers.fetch, sql, stream, after, STREAM_PAGE))
            events += [StoredEvent(stream, version, topic, state) for version, topic, state in rows]
            if len(rows) < STREAM_PAGE:
                return events
            after = rows[-1][0]

    async def find_request(self, stream: str, request_id: str) -> Appended | None:
        """The positions of the events that a request stored in a stream; None if it stored none."""
        sql = query("find_request", self._lane_of(stream))
        row = await self._patiently(lambda: self._readers.fetchrow(sql, request_id))
        return None if row is None else repeated(row)

    async def read_appended(self, stream: str, appended: Appended) -> list[Notification]:
        """The events that an append stored."""
        count = appended.position_last - appended.position_first + 1
        return await self.read_lane(lane_of(stream, self.lanes), appended.position_first - 1, count)

    async def read_lane(self, lane: int, after: int, limit: int) -> list[Notification]:
        """The events of a lane after a position, in order and without gaps."""
        sql = query("read_lane", lane_name(lane))
        rows = await self._patiently(lambda: self._readers.fetch(sql, after, limit))
        return [Notification(*row) for row in rows]

    async def read_streams(self, lane: int, after: int, limit: int, streams: Sequence[str]) -> Batch:
        """The events of some streams of a lane after a position, in order."""
        sql = query("read_wanted", lane_name(lane))
        rows = await self._patiently(lambda: self._readers.fetch(sql, after, streams, limit))
        events = [Notification(*row) for _, *row in rows if row[-1] is not None]
        reached = events[-1].id if len(events) == limit else rows[0]["head"]
        return Batch(reached, events)

    async def read_covered(
        self, lane: int, ends: Sequence[tuple[str, int]], end_topics: Iterable[str], topics: Iterable[str]
    ) -> list[tuple[int, StoredEvent]]:
        """For each end of a round, a stream and a version: the events since the end before it that have these topics."""
        sql = query("read_covered", lane_name(lane))
        streams, versions = zip(*ends, strict=True) if ends else ((), ())
        asked = (streams, versions, list(end_topics), list(topics))
        rows = await self._patiently(lambda: self._readers.fetch(sql, *asked))
        return [(end, StoredEvent(*event)) for end, *event in rows]

    async def count_owned(self, owner_id: str, bot_prefix: str, without: Sequence[str]) -> Owned:
        """How much an owner has that is not over, by the list of tables; some games are left out."""
        lanes = [query("count_owned", lane_name(lane)) for lane in range(self.lanes)]
        sql = " UNION ALL ".join(lanes)
        rows = await self._patiently(lambda: self._readers.fetch(sql, owner_id, bot_prefix, without))
        return Owned(*map(sum, zip(*rows, strict=True)))

    async def position(self, lane: int) -> int:
        """The position of the last event of a lane; 0 while it is empty."""
        sql = query("read_position", lane_name(lane))
        return int(await self._patiently(lambda: self._readers.fetchval(sql)))

    def _lane_of(self, stream: str) -> str:
        return lane_name(lane_of(stream, self.lanes))

    async def _patiently(self, read: Callable[[], Awaitable[Result]]) -> Result:
        """The result of a read; if the connection breaks, it reads again over another, which is safe."""
        problem: Exception | None = None
        for tries in range(READ_TRIES_MAX):
            if self._readers.is_closing():
                raise StoreClosed
            try:
                return await read()
            except (
                ValueError
            ):  # The driver can't send a value, so no retry helps; asyncpg counts this as `PASSING` too.
                raise
            except PASSING as error:
                problem = error
            await asyncio.sleep(min(0.05 * 2**tries, 1.0))
        raise StoreUnreadable(problem=type(problem).__name__)


async def open_readers(url: str) -> "asyncpg.Pool[Any]":
    """A pool of connections that may only read."""
    return await open_pool(url, ROLE, size_min=1, size_max=READERS_MAX)


async def checked_lanes(url: str, *roles: str) -> int:
    """The number of lanes of a store; refuses one that this program, or this login in some role, can't use."""
    connection = await connect(url)
    try:
        await check_migrated(connection)
        for role in roles:
            await act_as(connection, role)
        return await lanes_of_store(connection)
    finally:
        await connection.close()
