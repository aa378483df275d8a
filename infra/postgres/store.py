"""The event store: appends go through one writer per lane, reads through a pool that may only read."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, Self, TypeAlias

import asyncpg
from eventsourcing.persistence import StoredEvent

from infra.postgres.appended import Appended
from infra.postgres.appending import LaneWriter
from infra.postgres.connections import Connection, connect_appender, connect_as
from infra.postgres.event_reader import ROLE, EventReader, checked_lanes, open_readers
from infra.postgres.failures import EventsNotInOrder
from infra.postgres.hinting import Hinter
from infra.postgres.lanes import lane_name, lane_of
from infra.postgres.traffic import Traffic

_LOG = logging.getLogger(__name__)


class Announcement(NamedTuple):
    """What this process has appended, once it is durable."""

    lane: int
    position: int
    """That of the first event."""
    events: Sequence[StoredEvent]
    meaning: object = None
    """The events in the form in which they were decided, given by the appender; None if there is none."""


Listener: TypeAlias = "Callable[[Announcement], None]"


class EventStore(EventReader):
    """All lanes of a store, seen from one process."""

    def __init__(self, url: str, lanes: int, readers: "asyncpg.Pool[Any]", *, durable: bool = True) -> None:
        """Use `open`."""
        super().__init__(url, lanes, readers)
        self.listeners: list[Listener] = []
        """The one bus of the process: functions to call as soon as this process has appended something."""
        self.connect_appender: Callable[[], Awaitable[Connection]] = partial(connect_appender, url, durable=durable)
        self._hinter = Hinter(partial(connect_as, url, ROLE))
        self.traffic = Traffic()
        self._writers = [
            LaneWriter(lane, self.connect_appender, self.traffic, reached=partial(self._hinter.reached, lane))
            for lane in map(lane_name, range(lanes))
        ]

    @classmethod
    async def open(cls, url: str, *, durable: bool = True) -> Self:
        """Connect to a store that is up to date; only a test that must lose data asks for one that is not `durable`."""
        lanes = await checked_lanes(url, "liarsdice_appender", ROLE)
        store = cls(url, lanes, await open_readers(url), durable=durable)
        for writer in store._writers:
            writer.start()
        return store

    async def close(self) -> None:
        """Write all waiting appends, then disconnect; it is no error if the server is gone."""
        try:
            await asyncio.gather(*(writer.close() for writer in self._writers))
            await self._hinter.close()
        finally:
            await super().close()

    async def append(
        self,
        events: Sequence[StoredEvent],
        request_id: str,
        fingerprint: bytes = b"",
        *,
        at_once: bool = True,
        announces: bool = True,
    ) -> Appended:
        """Store events of one stream together; returns once they are durable.

        With `at_once`, and if no other append runs, the caller's own task writes the events, and cancelling it drops the
        connection. A caller that may be cancelled passes False: then the events are written even if the caller goes away.

        A request that was stored before gets the same answer again, with the fingerprint it had then. The caller decides
        what a different fingerprint means.

        A caller that can say what the events mean passes `announces=False` and calls `announce` itself.
        """
        if not events:
            raise EventsNotInOrder
        stream, first = events[0].originator_id, events[0].originator_version
        for version, event in enumerate(events[1:], first + 1):
            if event.originator_id != stream or event.originator_version != version:
                raise EventsNotInOrder
        lane = lane_of(str(stream), self.lanes)
        appended = await self._writers[lane].append(events, request_id, fingerprint, at_once=at_once)
        if announces and appended.outcome == "accepted":
            self._tell(Announcement(lane, appended.position_first, events))
        return appended

    async def find_request(self, stream: str, request_id: str) -> Appended | None:
        """The positions of the events that a request stored; None if it stored none. What is found is durable."""
        found = await super().find_request(stream, request_id)
        if found is None:
            return None
        # A reader also sees what no standby has: if the wait for it was cut short, by a restart for example. The writer
        # finds the request again, stores nothing for it, and waits.
        return await self._writers[lane_of(stream, self.lanes)].append([], request_id, at_once=False)

    def announce(self, appended: Appended, events: Sequence[StoredEvent], meaning: object) -> None:
        """Tell all listeners of this process what was appended, and what it means."""
        lane = lane_of(str(events[0].originator_id), self.lanes)
        self._tell(Announcement(lane, appended.position_first, events, meaning))

    def _tell(self, announcement: Announcement) -> None:
        for listener in self.listeners:
            try:
                listener(announcement)
            except Exception as error:  # noqa: BLE001 - the events are stored: no listener may make that look like a failure
                # Only the kind of the error: its words may quote what is hidden.
                _LOG.error("a listener of the store failed (%s)", type(error).__name__)
