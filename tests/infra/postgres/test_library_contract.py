"""The eventsourcing library's own abstract suites, run against our recorders on a real Postgres."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import TestCase
from uuid import uuid4

import asyncpg
import pytest
from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    InfrastructureFactoryError,
    IntegrityError,
    OperationalError,
    ProcessRecorder,
    StoredEvent,
    Tracking,
    TrackingRecorder,
)
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from eventsourcing.tests.persistence import (
    AggregateRecorderTestCase,
    ApplicationRecorderTestCase,
    InfrastructureFactoryTestCase,
    NonInterleavingNotificationIDsBaseCase,
    ProcessRecorderTestCase,
    TrackingRecorderTestCase,
)
from eventsourcing.utils import Environment
from psycopg.conninfo import conninfo_to_dict

from infra.postgres import library
from infra.postgres.connections import Connection
from infra.postgres.hints import CHANNEL
from infra.postgres.lanes import lane_of
from infra.postgres.library import (
    Factory,
    LaneAccess,
    LaneAggregateRecorder,
    LaneApplicationRecorder,
    LaneProcessRecorder,
    LaneTrackingRecorder,
)
from tests.infra.postgres.databases import empty_database, new_database, on_connection


class OnALane:
    """Gives each test a lane of a new store."""

    def setUp(self) -> None:
        self.access = LaneAccess(new_database(lanes=1), 0)

    def tearDown(self) -> None:
        self.access.close()

    def new_originator_id(self) -> str:
        """Our streams have texts for ids."""
        return str(uuid4())


class TestAggregateRecorder(OnALane, AggregateRecorderTestCase):
    def create_recorder(self) -> AggregateRecorder:
        return LaneAggregateRecorder(self.access)


class TestApplicationRecorder(OnALane, ApplicationRecorderTestCase[Any]):
    def create_recorder(self) -> LaneApplicationRecorder:
        return LaneApplicationRecorder(self.access)

    def test_insert_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class TestTrackingRecorder(OnALane, TrackingRecorderTestCase):
    def create_recorder(self) -> TrackingRecorder:
        return LaneTrackingRecorder(self.access)


class TestProcessRecorder(OnALane, ProcessRecorderTestCase):
    def create_recorder(self) -> ProcessRecorder:
        return LaneProcessRecorder(self.access)


class TestNonInterleaving(OnALane, NonInterleavingNotificationIDsBaseCase):
    def create_recorder(self) -> ApplicationRecorder:
        return LaneApplicationRecorder(self.access)


class OwnTrackingRecorder(LaneTrackingRecorder):
    """A tracking recorder as a user of the factory would write it."""


class TestInfrastructureFactory(InfrastructureFactoryTestCase[Factory]):
    def setUp(self) -> None:
        self.env = Environment("TestCase")
        self.env[Factory.PERSISTENCE_MODULE] = library.__name__
        self.env["DATABASE_URL"] = new_database(lanes=1)
        super().setUp()

    def expected_factory_class(self) -> type[Factory]:
        return Factory

    def expected_aggregate_recorder_class(self) -> type[AggregateRecorder]:
        return LaneAggregateRecorder

    def expected_application_recorder_class(self) -> type[ApplicationRecorder]:
        return LaneApplicationRecorder

    def expected_tracking_recorder_class(self) -> type[TrackingRecorder]:
        return LaneTrackingRecorder

    def tracking_recorder_subclass(self) -> type[TrackingRecorder]:
        return OwnTrackingRecorder

    def expected_process_recorder_class(self) -> type[ProcessRecorder]:
        return LaneProcessRecorder


@contextmanager
def _woken_again_and_again(datastore: PostgresDatastore) -> Iterator[None]:
    """Wake the library's reader repeatedly: it starts to listen in a thread, and misses earlier notifications."""
    done = threading.Event()

    def wake() -> None:
        while not done.wait(0.5):
            with datastore.transaction(commit=True) as cursor:
                cursor.execute(f"NOTIFY {CHANNEL}")

    thread = threading.Thread(target=wake)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class TestTheLibrarysOwnReader(OnALane, TestCase):
    """Its synchronous Postgres recorder reads what ours wrote, and follows it."""

    def test_it_reads_the_notification_log_and_follows_a_subscription(self) -> None:
        events = [StoredEvent("game-1", version, f"topic-{version}", b"state") for version in range(1, 31)]
        ours = LaneApplicationRecorder(self.access)
        ours.insert_events(events[:20])
        datastore = _librarys_datastore(self.access.url)
        try:
            theirs = PostgresApplicationRecorder(datastore)

            assert [event.originator_version for event in theirs.select_events("game-1")] == list(range(1, 21))
            log = theirs.select_notifications(start=1, limit=100)
            assert [notification.id for notification in log] == list(range(1, 21))
            assert theirs.max_notification_id() == 20
            with theirs.subscribe(gt=5) as subscription, _woken_again_and_again(datastore):
                ours.insert_events(events[20:])
                followed = [next(subscription) for _ in range(25)]
            assert [notification.id for notification in followed] == list(range(6, 31))
            assert followed[-1].topic == "topic-30"
        finally:
            datastore.close()


class TestWhatRecordersRefuse(TestCase):
    """A recorder writes only what every reader of the store will find."""

    def test_a_lane_that_the_store_does_not_have(self) -> None:
        url = new_database(lanes=2)
        for lane in ("2", "99"):
            with pytest.raises(OperationalError, match=f"lanes 0 to 1; there is no lane {lane}"):
                Factory(Environment("x", {"DATABASE_URL": url, "LIARSDICE_LANE": lane}))
        for lane in ("-1", "abc"):
            with pytest.raises(InfrastructureFactoryError, match="not the number of a lane"):
                Factory(Environment("x", {"DATABASE_URL": url, "LIARSDICE_LANE": lane}))

    def test_a_stream_that_belongs_to_another_lane(self) -> None:
        access = LaneAccess(new_database(lanes=2), 0)
        elsewhere = next(f"game-{n}" for n in range(99) if lane_of(f"game-{n}", 2) == 1)
        for recorder in (LaneApplicationRecorder(access), LaneProcessRecorder(access)):
            with pytest.raises(OperationalError, match="belongs to lane 1, not to lane 0"):
                recorder.insert_events([StoredEvent(elsewhere, 1, "topic", b"")], tracking=Tracking("x", 1))
        assert LaneApplicationRecorder(access).max_notification_id() is None
        access.close()

    def test_versions_that_do_not_follow_each_other(self) -> None:
        access = LaneAccess(new_database(lanes=1), 0)
        for versions in ([1, 3], [1, 1], [2, 1]):
            with pytest.raises(IntegrityError, match="follow each other"):
                LaneApplicationRecorder(access).insert_events([StoredEvent("a", v, "topic", b"") for v in versions])
        access.close()

    def test_a_store_that_is_newer_or_older_than_the_program(self) -> None:
        url = new_database(lanes=1)
        later = "INSERT INTO liarsdice.migrations (number, name) VALUES (9999, 'later')"
        on_connection(url, lambda connection: connection.execute(later))
        with pytest.raises(OperationalError, match="by a newer program"):
            LaneAccess(url, 0)
        with pytest.raises(OperationalError, match="run `liarsdice migrate`"):
            LaneAccess(empty_database(), 0)

    def test_a_failed_connection_leaves_no_thread_behind(self) -> None:
        before = threading.active_count()
        for _ in range(3):
            with pytest.raises(OperationalError):
                LaneAccess("postgresql://nobody@127.0.0.1:1/nothing", 0)
        assert threading.active_count() == before


class FullAccess(LaneAccess):
    """A database that takes no further connection from some moment on."""

    full = False

    async def connect(self) -> Connection:
        if self.full:
            raise asyncpg.TooManyConnectionsError("no more")
        return await super().connect()


class TestSubscription(OnALane, TestCase):
    """A listener is only a help: without it the clock wakes, and one that is refused or ended is replaced."""

    def test_events_come_although_the_listener_is_refused(self) -> None:
        access = FullAccess(self.access.url, 0)
        recorder = LaneApplicationRecorder(access)
        recorder.insert_events([StoredEvent("game", 1, "topic", b"")])
        access.full = True
        with recorder.subscribe() as subscription:
            assert next(subscription).id == 1
            recorder.insert_events([StoredEvent("game", 2, "topic", b"")])
            assert next(subscription).id == 2
        access.close()

    def test_a_listener_that_is_ended_is_replaced(self) -> None:
        recorder = LaneApplicationRecorder(self.access)
        with recorder.subscribe() as subscription:
            assert self._end_listeners() == 1
            assert self._end_listeners() == 1
            recorder.insert_events([StoredEvent("game", 1, "topic", b"")])
            assert next(subscription).id == 1

    def _end_listeners(self) -> int:
        """How many were ended, once there were any."""
        ending = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
        ending += " AND datname = current_database()"
        for _ in range(100):
            ended = int(on_connection(self.access.url, lambda connection: connection.fetchval(ending)))
            if ended:
                return ended
            time.sleep(0.05)
        return 0


def _librarys_datastore(url: str) -> PostgresDatastore:
    named = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    return PostgresDatastore(
        dbname=named["dbname"],
        host=named["host"],
        port=named.get("port", "5432"),
        user=named["user"],
        password=named.get("password", ""),
        schema="lane_0",
        pool_size=5,
        originator_id_type="text",
    )
