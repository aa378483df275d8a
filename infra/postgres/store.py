"""The event store: appends go through one writer per lane, reads through a pool that may do nothing else."""

from collections.abc import Sequence
from typing import Any, Self

import asyncpg
from eventsourcing.persistence import Notification, StoredEvent

from infra.postgres.appending import Appended, Connection, LaneWriter
from infra.postgres.lanes import lane_name, lane_of
from infra.postgres.migrating import lanes_of_store
from infra.postgres.queries import query

READERS_MAX = 4


class EventStore:
    """All lanes of a store, seen from one process."""

    def __init__(self, url: str, lanes: int, readers: "asyncpg.Pool[Any]") -> None:
        """Use `open`."""
        self.url, self.lanes = url, lanes
        self._readers = readers
        self._writers = [LaneWriter(lane_name(lane), self.connect_appender) for lane in range(lanes)]

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connect to a store that is up to date."""
        readers = await asyncpg.create_pool(url, min_size=1, max_size=READERS_MAX, init=_as_reader, reset=_kept)
        try:
            async with readers.acquire() as connection:
                lanes = await lanes_of_store(connection)
        except BaseException:
            await readers.close()
            raise
        store = cls(url, lanes, readers)
        for writer in store._writers:
            writer.start()
        return store

    async def close(self) -> None:
        """Write what waits, then disconnect."""
        for writer in self._writers:
            await writer.close()
        await self._readers.close()

    async def append(self, events: Sequence[StoredEvent], request_id: str) -> Appended:
        """Store events of one stream together; answered once they are durable."""
        stream, first = events[0].originator_id, events[0].originator_version
        assert all(
            event.originator_id == stream and event.originator_version == version
            for version, event in enumerate(events, first)
        ), "the events of an append follow each other in one stream"
        lane = lane_of(str(events[0].originator_id), self.lanes)
        return await self._writers[lane].append(events, request_id)

    async def read_stream(self, stream: str, after: int = 0) -> list[StoredEvent]:
        """The events of a stream after a version, in order."""
        rows = await self._readers.fetch(query("read_stream", self._lane_of(stream)), stream, after)
        return [StoredEvent(stream, version, topic, state) for version, topic, state in rows]

    async def find_request(self, stream: str, request_id: str) -> Appended | None:
        """Where the events of a request for a stream lie, if it was stored."""
        row = await self._readers.fetchrow(query("find_request", self._lane_of(stream)), request_id)
        return None if row is None else Appended("repeated", row["position_first"], row["position_last"])

    async def read_appended(self, stream: str, appended: Appended) -> list[Notification]:
        """The events that an append stored."""
        count = appended.position_last - appended.position_first + 1
        return await self.read_lane(lane_of(stream, self.lanes), appended.position_first - 1, count)

    async def read_lane(self, lane: int, after: int, limit: int) -> list[Notification]:
        """The events of a lane after a position, in order and without gaps."""
        rows = await self._readers.fetch(query("read_lane", lane_name(lane)), after, limit)
        return [Notification(*row) for row in rows]

    async def position(self, lane: int) -> int:
        """The position of the last event of a lane; 0 while it is empty."""
        return int(await self._readers.fetchval(query("read_position", lane_name(lane))))

    def _lane_of(self, stream: str) -> str:
        return lane_name(lane_of(stream, self.lanes))

    async def connect_appender(self) -> Connection:
        """A connection that may append and read, and nothing else."""
        connection = await asyncpg.connect(self.url)
        # Every batch has the same shape: to plan anew for each would cost more than to write it.
        await connection.execute("SET ROLE liarsdice_appender; SET plan_cache_mode = force_generic_plan")
        return connection


async def _kept(_: Connection) -> None:
    """Our reads leave nothing behind on a connection, so it need not be cleaned, which would cost a round trip."""


async def _as_reader(connection: Connection) -> None:
    await connection.execute("SET ROLE liarsdice_reader")
