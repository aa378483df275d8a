"""The store in the form of the eventsourcing library: synchronous recorders and a factory (`PERSISTENCE_MODULE`).

One recorder sees one lane. The library's applications, notification logs and subscriptions, and its abstract test
suites, work on it as on the library's own Postgres recorder, with our group commit underneath.
"""

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar
from uuid import UUID, uuid4

import asyncpg
from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    InfrastructureFactory,
    InfrastructureFactoryError,
    IntegrityError,
    ListenNotifySubscription,
    Notification,
    OperationalError,
    ProcessRecorder,
    StoredEvent,
    Tracking,
    TrackingRecorder,
)
from eventsourcing.utils import Environment, EnvType, resolve_topic

from infra.postgres.appended import Appended
from infra.postgres.appending import LaneWriter
from infra.postgres.connections import (
    CONNECT_SECONDS_MAX,
    PASSING,
    READ_SECONDS_MAX,
    Connection,
    connect,
    keep_session,
    settings_to_append,
)
from infra.postgres.failures import EventsNotInOrder, NoSuchLane, StoreFailed, StreamElsewhere, VersionConflict
from infra.postgres.hinting import Hinter
from infra.postgres.lanes import lane_name, lane_of
from infra.postgres.migrating import lanes_of_store
from infra.postgres.queries import query

Result = TypeVar("Result")
_POLL_SECONDS = 1.0
_RETRY_SECONDS = 0.2


class LaneAccess:
    """A thread with an event loop that reads and writes a lane for synchronous callers."""

    def __init__(self, url: str, lane: int) -> None:
        """Connect to a lane of a store that is up to date."""
        self.url, self.lane, self._number = url, lane_name(lane), lane
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"store {self.lane}", daemon=True)
        self._thread.start()
        try:
            self.run(self._open())
        except BaseException:
            self._end()
            raise

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of asynchronous work; failures become the library's own errors."""
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except (VersionConflict, EventsNotInOrder, asyncpg.UniqueViolationError) as error:
            raise IntegrityError(str(error)) from error
        except (StoreFailed, asyncpg.PostgresError, OSError) as error:
            raise OperationalError(str(error)) from error

    def close(self) -> None:
        """Write all waiting appends, disconnect and end the thread."""
        try:
            self.run(self._close())
        finally:
            self._end()

    async def connect(self) -> Connection:
        """A new connection with all rights of the login, because recorders append and track in one transaction."""
        connection = await connect(self.url, patient=True)
        try:
            await _settle(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    def check(self, events: Sequence[StoredEvent]) -> None:
        """Refuse events that are not in order, or whose stream belongs to another lane."""
        last: dict[str, int] = {}
        for event in events:
            stream, version = str(event.originator_id), event.originator_version
            if last.setdefault(stream, version - 1) != version - 1:
                raise EventsNotInOrder
            last[stream] = version
        for stream in last:
            if (lane := lane_of(stream, self._lanes)) != self._number:
                raise StreamElsewhere(stream=stream, lane=lane, given=self._number)

    async def _open(self) -> None:
        connection = await connect(self.url)
        try:
            self._lanes = await lanes_of_store(connection)
        finally:
            await connection.close()
        if self._number not in range(self._lanes):
            raise NoSuchLane(lane=self._number, lane_last=self._lanes - 1)
        self.pool = await asyncpg.create_pool(
            self.url,
            min_size=1,
            max_size=4,
            init=_settle,
            reset=keep_session,
            timeout=CONNECT_SECONDS_MAX,
            command_timeout=READ_SECONDS_MAX,
        )
        self.hinter = Hinter(partial(connect, self.url))
        self.writer = LaneWriter(self.lane, self.connect, reached=partial(self.hinter.reached, self.lane))
        self.writer.start()

    async def _close(self) -> None:
        await self.writer.close()
        await self.hinter.close()
        await self.pool.close()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _settle(connection: Connection) -> None:
    await connection.execute(";\n".join(settings_to_append()))


class LaneAggregateRecorder(AggregateRecorder):
    """Streams of events, without positions."""

    def __init__(self, access: LaneAccess) -> None:
        self.access = access

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Store events together or not at all."""
        self._insert(stored_events)
        return None

    def _insert(self, stored_events: Sequence[StoredEvent]) -> Sequence[int]:
        if not stored_events:
            return []
        appended = self.access.run(self._append(stored_events))
        return range(appended.position_first, appended.position_last + 1)

    async def _append(self, stored_events: Sequence[StoredEvent]) -> Appended:
        self.access.check(stored_events)
        return await self.access.writer.append(stored_events, uuid4().hex)

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """The events of a stream within a range of versions."""
        name = "select_events_newest_first" if desc else "select_events"
        sql = query(name, self.access.lane)
        rows = self.access.run(self.access.pool.fetch(sql, str(originator_id), gt, lte, limit))
        return [StoredEvent(originator_id, version, topic, state) for version, topic, state in rows]


class LaneApplicationRecorder(LaneAggregateRecorder, ApplicationRecorder):
    """Streams of events, and their positions in the lane."""

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Store events together or not at all, and return their positions."""
        return list(self._insert(stored_events))

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """The events of the lane within a range of positions."""
        first = 0 if start is None else start if inclusive_of_start else start + 1
        sql = query("select_notifications", self.access.lane)
        rows = self.access.run(self.access.pool.fetch(sql, first, stop, list(topics), limit))
        return [Notification(*row) for row in rows]

    def max_notification_id(self) -> int | None:
        """The position of the last event; None while there is none."""
        position = self.access.run(self.access.pool.fetchval(query("read_position", self.access.lane)))
        return int(position) or None

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> "LaneSubscription":
        """All events after a position, the stored ones and the future ones."""
        return LaneSubscription(self, gt, topics)


class LaneSubscription(ListenNotifySubscription[LaneApplicationRecorder]):
    """Follows a lane: NOTIFY wakes it, and so does the clock, in case a notification is lost."""

    def __init__(self, recorder: LaneApplicationRecorder, gt: int | None, topics: Sequence[str]) -> None:
        super().__init__(recorder, gt, topics)
        self._listening = asyncio.run_coroutine_threadsafe(self._follow(), recorder.access._loop)  # noqa: SLF001 - one module

    def stop(self) -> None:
        """End the subscription."""
        self._listening.cancel()
        super().stop()

    async def _follow(self) -> None:
        """Wake by the clock, whatever happens to the listener."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            while True:
                self._has_been_notified.set()
                await asyncio.sleep(_POLL_SECONDS)

    async def _listen(self) -> None:
        """Keep a connection that listens; open a new one when it breaks."""
        while True:
            with suppress(StoreFailed, asyncpg.PostgresError, *PASSING):
                await self._listen_on_connection()
            await asyncio.sleep(_RETRY_SECONDS)

    async def _listen_on_connection(self) -> None:
        connection = await self._recorder.access.connect()
        try:
            lost = asyncio.Event()
            connection.add_termination_listener(lambda _: lost.set())
            await connection.add_listener("stored_events", lambda *_: self._has_been_notified.set())
            await lost.wait()
        finally:
            connection.terminate()


class LaneTrackingRecorder(TrackingRecorder):
    """How far readers of a lane have got."""

    def __init__(self, access: LaneAccess) -> None:
        self.access = access

    def insert_tracking(self, tracking: Tracking) -> None:
        """Note a position; refuses one that is not beyond the last."""
        self.access.run(self._track(self.access.pool, tracking))

    async def _track(self, connection: Any, tracking: Tracking) -> None:
        sql = query("track", self.access.lane)
        moved = await connection.fetchval(sql, tracking.application_name, tracking.notification_id)
        if moved is None:
            raise VersionConflict(streams=tracking.application_name)

    def max_tracking_id(self, application_name: str) -> int | None:
        """The last position that was noted."""
        sql = query("read_tracking", self.access.lane)
        position: int | None = self.access.run(self.access.pool.fetchval(sql, application_name))
        return position


class LaneProcessRecorder(LaneTrackingRecorder, LaneApplicationRecorder, ProcessRecorder):
    """Events, stored in one transaction with the position that they result from."""

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """Store events and the tracking that they result from, both or neither."""
        tracking = kwargs.get("tracking")
        if tracking is None:
            return super().insert_events(stored_events)
        return self.access.run(self._insert_tracked(stored_events, tracking))

    async def _insert_tracked(self, stored_events: Sequence[StoredEvent], tracking: Tracking) -> Sequence[int]:
        self.access.check(stored_events)
        async with self.access.pool.acquire() as connection, connection.transaction():
            await self._track(connection, tracking)
            writer = self.access.writer
            appended = await writer.append_within(connection, stored_events, uuid4().hex) if stored_events else None
        if appended is None:
            return []
        self.access.hinter.reached(self.access.lane, appended.position_last)
        return range(appended.position_first, appended.position_last + 1)


class Factory(InfrastructureFactory[LaneTrackingRecorder]):
    """Makes recorders of the lane that the environment names with LIARSDICE_LANE, in the store at DATABASE_URL."""

    aggregate_recorder_class = LaneAggregateRecorder
    application_recorder_class = LaneApplicationRecorder
    tracking_recorder_class = LaneTrackingRecorder
    process_recorder_class = LaneProcessRecorder

    def __init__(self, env: Environment | EnvType | None) -> None:
        """Connect as the environment says."""
        super().__init__(env)
        url = self.env.get("DATABASE_URL")
        if not url:
            raise InfrastructureFactoryError("DATABASE_URL is not set, and a recorder needs a store")
        lane = self.env.get("LIARSDICE_LANE") or "0"
        if not lane.isdecimal():
            raise InfrastructureFactoryError("LIARSDICE_LANE is not the number of a lane")
        self.access = LaneAccess(url, int(lane))

    def aggregate_recorder(self, purpose: str = "events") -> AggregateRecorder:  # noqa: ARG002 - one table serves all
        """A recorder of streams."""
        return self.aggregate_recorder_class(self.access)

    def application_recorder(self) -> ApplicationRecorder:
        """A recorder of streams with positions."""
        return self.application_recorder_class(self.access)

    def tracking_recorder(
        self, tracking_recorder_class: type[LaneTrackingRecorder] | None = None
    ) -> LaneTrackingRecorder:
        """A recorder of how far readers have got; its class may be given here or by its topic in the environment."""
        topic = self.env.get(self.TRACKING_RECORDER_TOPIC)
        named: type[LaneTrackingRecorder] | None = resolve_topic(topic) if topic else None
        return (tracking_recorder_class or named or self.tracking_recorder_class)(self.access)

    def process_recorder(self) -> ProcessRecorder:
        """A recorder of events together with tracking."""
        return self.process_recorder_class(self.access)

    def close(self) -> None:
        """Disconnect."""
        self.access.close()
