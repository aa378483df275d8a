"""Group commit: what it promises when many write at once and when connections break."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

import asyncpg
import pytest
from eventsourcing.persistence import StoredEvent

from infra.postgres.appending import Appended, Connection, LaneWriter
from infra.postgres.failures import StoreBusy, StoreClosed, StoreUnreachable, VersionConflict
from infra.postgres.lanes import lane_of
from infra.postgres.store import EventStore
from tests.infra.postgres.databases import new_database

Result = TypeVar("Result")


def event(stream: str, version: int) -> StoredEvent:
    return StoredEvent(stream, version, "topic", f"{stream} {version}".encode())


def on_store(work: Callable[[EventStore], Awaitable[Result]], lanes: int = 1) -> Result:
    """The result of some work on a new store."""

    async def opened() -> Result:
        store = await EventStore.open(new_database_url)
        try:
            return await work(store)
        finally:
            await store.close()

    new_database_url = new_database(lanes)
    return asyncio.run(opened())


def test_events_are_stored_in_order_and_read_back() -> None:
    async def work(store: EventStore) -> None:
        assert await store.append([event("a", 1), event("a", 2)], "r1") == Appended("accepted", 1, 2)
        assert await store.append([event("b", 1)], "r2") == Appended("accepted", 3, 3)

        assert [stored.state for stored in await store.read_stream("a")] == [b"a 1", b"a 2"]
        assert [stored.originator_version for stored in await store.read_stream("a", after=1)] == [2]
        assert [stored.id for stored in await store.read_lane(0, after=1, limit=10)] == [2, 3]
        assert await store.position(0) == 3

    on_store(work)


def test_the_same_request_gets_the_same_answer_and_stores_nothing_again() -> None:
    async def work(store: EventStore) -> None:
        await store.append([event("a", 1), event("a", 2)], "r1")

        assert await store.append([event("a", 1), event("a", 2)], "r1") == Appended("repeated", 1, 2)
        assert await store.append([event("a", 3)], "r1") == Appended("repeated", 1, 2)
        assert await store.position(0) == 2

    on_store(work)


def test_the_same_request_sent_many_times_at_once_is_stored_once() -> None:
    async def work(store: EventStore) -> None:
        answers = await asyncio.gather(*(store.append([event("a", 1)], "r1") for _ in range(20)))

        assert sorted(answer.outcome for answer in answers) == ["accepted"] + ["repeated"] * 19
        assert await store.position(0) == 1

    on_store(work)


@pytest.mark.parametrize("version", [1, 2, 4, 9])
def test_what_does_not_follow_the_last_version_is_refused(version: int) -> None:
    async def work(store: EventStore) -> None:
        await store.append([event("a", 1), event("a", 2)], "r1")
        with pytest.raises(VersionConflict):
            await store.append([event("a", version)], "r2")
        assert (await store.append([event("a", 3)], "r3")).outcome == "accepted"

    on_store(work)


@pytest.mark.parametrize("version", [2, 5])
def test_a_new_stream_begins_at_its_beginning(version: int) -> None:
    async def work(store: EventStore) -> None:
        with pytest.raises(VersionConflict):
            await store.append([event("a", version)], "r1")
        assert await store.position(0) == 0

    on_store(work)


@pytest.mark.parametrize("events", [[event("a", 1), event("a", 3)], [event("a", 1), event("b", 2)]])
def test_the_events_of_an_append_follow_each_other_in_one_stream(events: list[StoredEvent]) -> None:
    async def work(store: EventStore) -> None:
        with pytest.raises(AssertionError):
            await store.append(events, "r1")
        assert await store.position(0) == 0

    on_store(work)


def test_one_games_conflict_never_fails_another_games_command() -> None:
    async def work(store: EventStore) -> None:
        await asyncio.gather(*(store.append([event(f"s{n}", 1)], f"first {n}") for n in range(50)))

        appends = [store.append([event(f"s{n}", 1 if n % 3 == 0 else 2)], f"second {n}") for n in range(50)]
        answers = await asyncio.gather(*appends, return_exceptions=True)

        for number, answer in enumerate(answers):
            assert isinstance(answer, VersionConflict if number % 3 == 0 else Appended)
        assert await store.position(0) == 50 + 33

    on_store(work)


@pytest.mark.parametrize(
    "bad",
    [
        StoredEvent("bad", 1, "nul \0 in a topic", b""),
        StoredEvent("bad", 1, "a state that is no bytes", "text"),  # type: ignore[arg-type]  # the bad input
        StoredEvent("bad", 1, "\ud800", b""),
    ],
    ids=lambda bad: ascii(bad.topic),
)
def test_an_event_that_the_database_cannot_take_fails_alone(bad: StoredEvent) -> None:
    async def work(store: EventStore) -> None:
        appends = [store.append([bad if n == 7 else event(f"s{n}", 1)], f"r{n}") for n in range(20)]
        answers = await asyncio.gather(*appends, return_exceptions=True)

        assert [number for number, answer in enumerate(answers) if not isinstance(answer, Appended)] == [7]
        assert await store.position(0) == 19

    on_store(work)


def test_many_writers_in_many_stores_leave_no_gap_and_lose_nothing() -> None:
    """Several processes write the same lanes; here each has a store of its own. Every game is written by all."""
    url = new_database(lanes=3)
    acknowledged: list[str] = []

    async def player(store: EventStore, name: str, chance: random.Random) -> None:
        for number in range(30):
            stream = f"game-{chance.randrange(12)}"
            request = f"{name}-{number}"
            while True:
                version = len(await store.read_stream(stream)) + 1
                try:
                    await store.append([event(stream, version)], request)
                except VersionConflict:
                    continue
                acknowledged.append(request)
                break

    async def work() -> None:
        stores = [await EventStore.open(url) for _ in range(3)]
        players = [
            player(store, f"{index}-{n}", random.Random(n)) for index, store in enumerate(stores) for n in range(6)
        ]
        await asyncio.gather(*players)
        total = 0
        for lane in range(3):
            events = await stores[0].read_lane(lane, 0, 10_000)
            assert [stored.id for stored in events] == list(range(1, len(events) + 1))
            assert all(lane_of(str(stored.originator_id), 3) == lane for stored in events)
            total += len(events)
        assert total == len(acknowledged) == 3 * 6 * 30
        for stream in {f"game-{n}" for n in range(12)}:
            versions = [stored.originator_version for stored in await stores[0].read_stream(stream)]
            assert versions == list(range(1, len(versions) + 1))
        for store in stores:
            await store.close()

    asyncio.run(work())


def test_a_connection_lost_before_or_during_a_commit_costs_nothing_and_doubles_nothing() -> None:
    """Backends are ended at random moments under load: every append is answered once and stored once."""
    url = new_database(lanes=1)

    async def work() -> None:
        store = await EventStore.open(url)
        saboteur = await asyncpg.connect(url)
        done = asyncio.Event()
        ended = 0

        async def sabotage() -> None:
            nonlocal ended
            while not done.is_set():
                ended += await saboteur.fetchval(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                    " WHERE query LIKE '%pg_notify(%' AND pid <> pg_backend_pid()"
                )
                await asyncio.sleep(random.uniform(0.005, 0.03))

        async def player(name: str) -> None:
            for version in range(1, 41):
                await store.append([event(name, version)], f"{name}-{version}")

        saboteur_task = asyncio.create_task(sabotage())
        await asyncio.gather(*(player(f"game-{n}") for n in range(20)))
        done.set()
        await saboteur_task
        await saboteur.close()
        assert ended
        stored = await store.read_lane(0, 0, 10_000)
        assert [notification.id for notification in stored] == list(range(1, 20 * 40 + 1))
        assert len({(notification.originator_id, notification.originator_version) for notification in stored}) == 800
        await store.close()

    asyncio.run(work())


def test_when_the_database_stays_away_the_caller_is_told_that_nothing_is_known() -> None:
    async def work() -> None:
        async def nowhere() -> Connection:
            raise ConnectionRefusedError

        writer = LaneWriter("lane_0", nowhere, retries_max=2)
        writer.start()
        with pytest.raises(StoreUnreachable, match="ask again with the same request id"):
            await writer.append([event("a", 1)], "r1")
        await writer.close()

    asyncio.run(work())


def test_too_many_waiting_appends_are_refused_and_those_waiting_are_written() -> None:
    async def work(store: EventStore) -> None:
        writer = LaneWriter("lane_0", store.connect_appender, waiting_max=5)
        writer.start()
        await writer.append([event("before", 1)], "before")
        tasks = [asyncio.create_task(writer.append([event(f"s{n}", 1)], f"r{n}")) for n in range(9)]
        answers = await asyncio.gather(*tasks, return_exceptions=True)

        # One is being written, five wait.
        assert sum(isinstance(answer, StoreBusy) for answer in answers) == 3
        assert sum(isinstance(answer, Appended) for answer in answers) == 6
        await writer.close()

    on_store(work)


def test_closing_writes_what_waits_and_then_takes_no_more() -> None:
    async def work(store: EventStore) -> None:
        waiting = [asyncio.create_task(store.append([event(f"s{n}", 1)], f"r{n}")) for n in range(30)]
        await asyncio.sleep(0)
        await store.close()

        assert all(answer.outcome == "accepted" for answer in await asyncio.gather(*waiting))
        with pytest.raises(StoreClosed):
            await store.append([event("late", 1)], "late")

    on_store(work)


@pytest.mark.parametrize("one", [0, 3])
@pytest.mark.parametrize("moment", [0, 0.002])
def test_an_append_whose_caller_gave_up_harms_nobody(one: int, moment: float) -> None:
    """The first is being written by its caller, the others wait for it."""

    async def work(store: EventStore) -> None:
        await store.append([event("before", 1)], "before")
        tasks = [asyncio.create_task(store.append([event(f"s{n}", 1)], f"r{n}")) for n in range(10)]
        await asyncio.sleep(moment)
        tasks[one].cancel()
        answers = await asyncio.gather(*tasks, return_exceptions=True)

        assert sum(isinstance(answer, Appended) for answer in answers) >= 9
        assert (await store.append([event("after", 1)], "after")).outcome == "accepted"

    on_store(work)


def test_closing_waits_for_an_append_that_its_caller_writes() -> None:
    async def work(store: EventStore) -> None:
        await store.append([event("before", 1)], "before")
        alone = asyncio.create_task(store.append([event("a", 1)], "r1"))
        await asyncio.sleep(0)
        await store.close()

        assert await alone == Appended("accepted", 2, 2)

    on_store(work)


def test_a_caller_that_gives_up_again_and_again_leaves_each_stream_whole() -> None:
    """Appends are cancelled at random moments; what was not answered is asked for again with the same request id."""

    async def work(store: EventStore) -> None:
        chance = random.Random(7)
        for version in range(1, 61):
            while True:
                attempt = asyncio.create_task(store.append([event("a", version)], f"r{version}"))
                await asyncio.wait([attempt], timeout=chance.uniform(0, 0.004))
                if attempt.done():
                    break
                attempt.cancel()
                await asyncio.wait([attempt])
        assert [stored.originator_version for stored in await store.read_stream("a")] == list(range(1, 61))
        assert await store.position(0) == 60

    on_store(work)
