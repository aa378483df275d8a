"""The eventsourcing library's own abstract suites, run against our recorders on a real Postgres."""

from typing import Any
from unittest import TestCase
from uuid import uuid4

from eventsourcing.persistence import (
    AggregateRecorder,
    ApplicationRecorder,
    ProcessRecorder,
    StoredEvent,
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
from infra.postgres.library import (
    Factory,
    LaneAccess,
    LaneAggregateRecorder,
    LaneApplicationRecorder,
    LaneProcessRecorder,
    LaneTrackingRecorder,
)
from tests.infra.postgres.databases import new_database


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
    """What someone who extends the factory would write."""


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
            with theirs.subscribe(gt=5) as subscription:
                ours.insert_events(events[20:])
                followed = [next(subscription) for _ in range(25)]
            assert [notification.id for notification in followed] == list(range(6, 31))
            assert followed[-1].topic == "topic-30"
        finally:
            datastore.close()


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
