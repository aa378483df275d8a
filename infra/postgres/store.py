"""The event store: appends go through one writer per lane, reads through a pool that may do nothing else."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Self, TypeAlias, TypeVar

import asyncpg
from eventsourcing.persistence import Notification, StoredEvent

from infra.postgres.appending import CLOSE_SECONDS_MAX, Appended, LaneWriter, Traffic, repeated
from infra.postgres.connecting import PASSING, Connection, act_as, connect, connect_appender, open_pool
from infra.postgres.failures import EventsNotInOrder, StoreClosed, StoreUnreadable
from infra.postgres.lanes import lane_name, lane_of
from infra.postgres.migrating import check_migrated, lanes_of_store
from infra.postgres.queries import query

READERS_MAX = 4
READ_TRIES_MAX = 5

Result = TypeVar("Result")
Listener: TypeAlias = "Callable[[int, int, Sequence[StoredEvent]], None]"
"""Told of a lane, the position of the first event, and the events, once they are durable."""


class EventStore:
    """All lanes of a store, seen from one process."""

    def __init__(self, url: str, lanes: int, readers: "asyncpg.Pool[Any]", *, durable: bool = True) -> None:
        """Use `open`."""
        self.url, self.lanes = url, lanes
        self._readers = readers
        self.listeners: list[Listener] = []
        """Whoever wants to know at once what this process has appended."""
        self.connect_appender: Callable[[], Awaitable[Connection]] = partial(connect_appender, url, durable=durable)
        traffic = Traffic()
        self._writers = [LaneWriter(lane_name(lane), self.connect_appender, traffic) for lane in range(lanes)]

    @classmethod
    async def open(cls, url: str, *, durable: bool = True) -> Self:
        """Connect to a store that is up to date; only a test that must lose something is not `durable`."""
        lanes = await _checked_lanes(url)
        readers = await open_pool(url, "liarsdice_reader", size_min=1, size_max=READERS_MAX)
        store = cls(url, lanes, readers, durable=durable)
        for writer in store._writers:
            writer.start()
        return store

    async def close(self) -> None:
        """Write what waits, then disconnect; a server that is gone does not matter any more."""
        try:
            await asyncio.gather(*(writer.close() for writer in self._writers))
        finally:
            with suppress(*PASSING):
                async with asyncio.timeout(CLOSE_SECONDS_MAX):
                    await self._readers.close()

    async def append(
        self, events: Sequence[StoredEvent], request_id: str, fingerprint: bytes = b"", *, at_once: bool = True
    ) -> Appended:
        """Store events of one stream together; answered once they are durable.

        If nobody else appends, it is written `at_once`, in the caller's own task: to cancel that is to cancel the query. A
        caller that others may cancel says no to it: then what was handed over is written whoever goes away.

        A request that was stored before gets the answer it had, with the fingerprint it had: what it means if that is
        another one is up to the caller.
        """
        if not events:
            raise EventsNotInOrder
        stream, first = events[0].originator_id, events[0].originator_version
        for version, event in enumerate(events[1:], first + 1):
            if event.originator_id != stream or event.originator_version != version:
                raise EventsNotInOrder
        lane = lane_of(str(stream), self.lanes)
        appended = await self._writers[lane].append(events, request_id, fingerprint, at_once=at_once)
        if appended.outcome == "accepted":
            for listener in self.listeners:
                listener(lane, appended.position_first, events)
        return appended

    async def read_stream(self, stream: str, after: int = 0) -> list[StoredEvent]:
        """The events of a stream after a version, in order."""
        sql = query("read_stream", self._lane_of(stream))
        rows = await self._patiently(lambda: self._readers.fetch(sql, stream, after))
        return [StoredEvent(stream, version, topic, state) for version, topic, state in rows]

    async def find_request(self, stream: str, request_id: str) -> Appended | None:
        """Where the events of a request for a stream lie, if it was stored."""
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

    async def position(self, lane: int) -> int:
        """The position of the last event of a lane; 0 while it is empty."""
        sql = query("read_position", lane_name(lane))
        return int(await self._patiently(lambda: self._readers.fetchval(sql)))

    def _lane_of(self, stream: str) -> str:
        return lane_name(lane_of(stream, self.lanes))

    async def _patiently(self, read: Callable[[], Awaitable[Result]]) -> Result:
        """What is read, over another connection if one breaks; nothing changes by reading twice."""
        problem: Exception | None = None
        for tries in range(READ_TRIES_MAX):
            if self._readers.is_closing():
                raise StoreClosed
            try:
                return await read()
            except ValueError:  # A value that can't be sent at all, which asyncpg also counts among its own errors.
                raise
            except PASSING as error:
                problem = error
            await asyncio.sleep(min(0.05 * 2**tries, 1.0))
        raise StoreUnreadable(problem=type(problem).__name__)


async def _checked_lanes(url: str) -> int:
    """The number of lanes of a store that this program and this login can use."""
    connection = await connect(url)
    try:
        await check_migrated(connection)
        for role in ("liarsdice_appender", "liarsdice_reader"):
            await act_as(connection, role)
        return await lanes_of_store(connection)
    finally:
        await connection.close()
