"""Group commit: what it promises when many write at once and when connections break."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest
from eventsourcing.persistence import StoredEvent

from infra.embedded.postgres import EmbeddedPostgres
from infra.postgres.appended import Appended
from infra.postgres.appending import LaneWriter
from infra.postgres.connections import APPENDER_NAME, Connection, connect_appender
from infra.postgres.failures import (
    AppendRefused,
    EventsNotInOrder,
    RoleNotGranted,
    StoreBusy,
    StoreClosed,
    StoreUnreachable,
    StoreUnreadable,
    VersionConflict,
)
from infra.postgres.lanes import lane_of
from infra.postgres.store import EventStore
from services.app.environment import migrate_database
from tests.infra.postgres.databases import folder_for_a_server, new_database

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


def test_a_request_that_comes_again_is_told_the_fingerprint_it_came_with_first() -> None:
    async def work(store: EventStore) -> None:
        await store.append([event("a", 1)], "r1", b"one")
        await store.append([event("a", 2), event("a", 3)], "r2", b"two")

        assert await store.append([event("a", 4)], "r1", b"other") == Appended("repeated", 1, 1, b"one")
        assert await store.append([event("a", 4)], "r2") == Appended("repeated", 2, 3, b"two")
        assert await store.find_request("a", "r2") == Appended("repeated", 2, 3, b"two")

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
        with pytest.raises(EventsNotInOrder):
            await store.append(events, "r1")
        assert await store.position(0) == 0

    on_store(work)


@pytest.mark.parametrize("others", [0, 5])
def test_the_events_of_an_append_are_stored_together_or_not_at_all(others: int) -> None:
    """The last of them can't be stored; the appends that travel with it are."""

    async def work(store: EventStore) -> None:
        await store.append([event("a", 1)], "before")
        torn = [event("a", 2), event("a", 3), StoredEvent("a", 4, "nul \0", b"")]
        appends = [store.append(torn, "torn")] + [store.append([event(f"s{n}", 1)], f"r{n}") for n in range(others)]
        first, *rest = await asyncio.gather(*appends, return_exceptions=True)

        assert isinstance(first, AppendRefused)
        assert all(isinstance(answer, Appended) for answer in rest)
        assert [stored.originator_version for stored in await store.read_stream("a")] == [1]
        assert await store.find_request("a", "torn") is None

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
        progress = asyncio.Event()
        ended = 0

        async def sabotage() -> None:
            nonlocal ended
            while not done.is_set():
                progress.clear()
                ended += await saboteur.fetchval(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND application_name = $1",
                    APPENDER_NAME,
                )
                await asyncio.sleep(random.uniform(0.01, 0.05))
                await progress.wait()  # On a slow machine they may not even have come back.

        async def player(name: str) -> None:
            for version in range(1, 41):
                while True:
                    try:
                        await store.append([event(name, version)], f"{name}-{version}")
                    except StoreUnreachable:
                        continue
                    break
                progress.set()

        saboteur_task = asyncio.create_task(sabotage())
        await asyncio.gather(*(player(f"game-{n}") for n in range(20)))
        done.set()
        progress.set()
        await saboteur_task
        await saboteur.close()
        assert ended
        stored = await store.read_lane(0, 0, 10_000)
        assert [notification.id for notification in stored] == list(range(1, 20 * 40 + 1))
        assert len({(notification.originator_id, notification.originator_version) for notification in stored}) == 800
        await store.close()

    asyncio.run(work())


class Breaking:
    """A connection that breaks around its first statement, before it is sent or after it was committed."""

    def __init__(self, connection: Connection, when: str, error: BaseException) -> None:
        self._connection, self._when, self._error = connection, when, error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def fetchrow(self, *arguments: Any, **limits: Any) -> Any:
        if self._when == "after":
            await self._connection.fetchrow(*arguments, **limits)
        raise self._error


def breaking(
    store: EventStore, when: str, error: BaseException, *later: BaseException
) -> Callable[[], Awaitable[Connection]]:
    """Connect to what breaks first, then to nothing as often as there are further errors, then as usual."""
    connections = 0

    async def connect() -> Connection:
        nonlocal connections
        connections += 1
        if connections == 1:
            return cast("Connection", Breaking(await store.connect_appender(), when, error))
        if connections - 2 < len(later):
            raise later[connections - 2]
        return await store.connect_appender()

    return connect


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    "error",
    [
        ConnectionResetError(),
        asyncpg.ConnectionDoesNotExistError("gone"),
        asyncpg.AdminShutdownError("shutting down"),
        asyncpg.DiskFullError("no space"),
        asyncpg.PostgresSystemError("broken disk"),
        TimeoutError(),
        KeyError("a fault of ours"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_connection_that_breaks_before_a_statement_or_after_its_commit_stores_it_once(
    error: Exception, when: str, count: int
) -> None:
    async def work(store: EventStore) -> None:
        writer = LaneWriter("lane_0", breaking(store, when, error))
        writer.start()
        answer = await writer.append([event("a", version) for version in range(1, count + 1)], "r1")

        assert answer == Appended("repeated" if when == "after" else "accepted", 1, count)
        assert len(await store.read_stream("a")) == count
        await writer.close()

    on_store(work)


@pytest.mark.parametrize(
    "refused",
    [
        asyncpg.TooManyConnectionsError("too many clients"),
        asyncpg.InvalidPasswordError("wrong"),
        RuntimeError("something else"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_connection_that_is_refused_for_whatever_reason_is_tried_again(refused: Exception) -> None:
    async def work(store: EventStore) -> None:
        writer = LaneWriter("lane_0", breaking(store, "after", ConnectionResetError(), refused, refused))
        writer.start()

        assert await writer.append([event("a", 1)], "r1") == Appended("repeated", 1, 1)
        await writer.close()

    on_store(work)


def test_what_may_have_been_stored_is_never_told_to_be_refused() -> None:
    """It was committed, the answer is lost, and the database then refuses to be reached or to look it up."""

    async def work(store: EventStore) -> None:
        full = [asyncpg.TooManyConnectionsError("too many clients")] * 9
        writer = LaneWriter("lane_0", breaking(store, "after", ConnectionResetError(), *full), tries_max=3)
        writer.start()
        with pytest.raises(StoreUnreachable, match="TooManyConnectionsError"):
            await writer.append([event("a", 1)], "r1")
        await writer.close()

        async def refusing() -> Connection:
            kind = "after" if not await store.position(0) - 1 else "before"
            error = ConnectionResetError() if kind == "after" else asyncpg.InsufficientPrivilegeError("not now")
            return cast("Connection", Breaking(await store.connect_appender(), kind, error))

        writer = LaneWriter("lane_0", refusing, tries_max=2)
        writer.start()
        with pytest.raises(StoreUnreachable, match="InsufficientPrivilegeError"):
            await writer.append([event("b", 1)], "r2")
        assert await store.position(0) == 2
        await writer.close()

    on_store(work)


def test_what_the_database_refuses_is_told_without_what_was_to_be_stored() -> None:
    async def work(store: EventStore) -> None:
        with pytest.raises(AppendRefused) as told:
            await store.append([StoredEvent("game", 1, "secret \0", b"secret")], "r1")
        assert str(told.value) == (
            "The database refuses these events (CharacterNotInRepertoireError), and has stored none of them."
        )
        assert told.value.__cause__ is None

    on_store(work)


def test_an_append_that_is_not_answered_in_time_is_looked_up_over_another_connection() -> None:
    """Another session holds the lane's lock for longer than a try may take."""

    async def work(store: EventStore) -> None:
        connections: list[Connection] = []

        async def connect() -> Connection:
            connections.append(await store.connect_appender())
            return connections[-1]

        writer = LaneWriter("lane_0", connect, tries_max=20, try_seconds_max=0.3)
        writer.start()
        await writer.append([event("before", 1)], "before")
        saboteur = await asyncpg.connect(store.url)
        transaction = saboteur.transaction()
        await transaction.start()
        await saboteur.execute("SELECT FROM lane_0.head FOR UPDATE")
        append = asyncio.create_task(writer.append([event("a", 1)], "r1"))
        await asyncio.sleep(0.5)
        await transaction.rollback()

        assert (await append).position_last == 2
        assert len(connections) > 1
        assert connections[0].is_closed()
        await saboteur.close()
        await writer.close()

    on_store(work)


def test_when_the_database_stays_away_the_caller_is_told_that_nothing_is_known() -> None:
    async def work() -> None:
        async def nowhere() -> Connection:
            raise ConnectionRefusedError

        writer = LaneWriter("lane_0", nowhere, tries_max=2, batch_max=1)
        writer.start()
        appends = [asyncio.create_task(writer.append([event(f"s{n}", 1)], f"r{n}")) for n in range(3)]
        for append in appends:
            with pytest.raises(StoreUnreachable, match="ask again with the same request id"):
                await append
        await writer.close()

    asyncio.run(work())


def test_nobody_waits_for_ever_if_the_writer_ends() -> None:
    """Only the end of the event loop ends it: those being written are in doubt, those waiting were never sent."""

    async def work() -> None:
        async def never() -> Connection:
            await asyncio.Event().wait()
            raise AssertionError

        writer = LaneWriter("lane_0", never, batch_max=1)
        writer.start()
        appends = [asyncio.create_task(writer.append([event(f"s{n}", 1)], f"r{n}")) for n in range(3)]
        await asyncio.sleep(0.01)
        assert writer._task is not None  # noqa: SLF001 - the end of the loop would do it
        writer._task.cancel()  # noqa: SLF001 - as above

        answers = await asyncio.gather(*appends, return_exceptions=True)
        assert [type(answer) for answer in answers] == [StoreUnreachable, StoreClosed, StoreClosed]
        with pytest.raises(StoreClosed):
            await writer.append([event("late", 1)], "late")
        await writer.close()

    asyncio.run(work())


def test_who_gives_up_closing_a_locked_lane_fails_nobody_who_waits() -> None:
    async def work(store: EventStore) -> None:
        await store.append([event("before", 1)], "before")
        locker = await asyncpg.connect(store.url)
        transaction = locker.transaction()
        await transaction.start()
        await locker.execute("SELECT FROM lane_0.head FOR UPDATE")
        appends = [asyncio.create_task(store.append([event(f"s{n}", 1)], f"r{n}")) for n in range(4)]
        await asyncio.sleep(0.05)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await store.close()
        await transaction.rollback()
        await locker.close()

        answers = await asyncio.gather(*appends)
        assert [answer.outcome for answer in answers] == ["accepted"] * 4

    on_store(work)


def test_a_store_whose_server_is_gone_closes_in_peace_and_says_so_to_readers() -> None:
    with folder_for_a_server() as folder:
        server = EmbeddedPostgres(Path(folder) / "data")
        server.start()

        async def work() -> None:
            await migrate_database(server.url, lanes=2)
            store = await EventStore.open(server.url)
            await store.append([event("a", 1)], "r1")
            await asyncio.to_thread(server.stop)
            with pytest.raises(StoreUnreadable, match="can't be read now"):
                await store.read_stream("a")
            await store.close()
            with pytest.raises(StoreClosed):
                await store.read_stream("a")

        asyncio.run(work())


def test_reads_go_on_over_other_connections_when_theirs_are_lost() -> None:
    async def work(store: EventStore) -> None:
        await store.append([event("a", 1)], "r1")
        saboteur = await asyncpg.connect(store.url)
        for _ in range(20):
            await saboteur.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            assert len(await store.read_stream("a")) == 1
            assert await store.find_request("a", "r1") == Appended("repeated", 1, 1)
            assert len(await store.read_lane(0, 0, 9)) == await store.position(0) == 1
        await saboteur.close()

    on_store(work)


def test_the_databases_own_defaults_change_no_promise() -> None:
    url = new_database(lanes=1)

    async def work() -> None:
        careless = await asyncpg.connect(url)
        name = await careless.fetchval("SELECT current_database()")
        await careless.execute(f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
        await careless.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
        await careless.close()
        store = await EventStore.open(url)
        appender = await store.connect_appender()
        assert await appender.fetchval("SHOW transaction_isolation") == "read committed"
        assert await appender.fetchval("SHOW synchronous_commit") == "on"
        assert await appender.fetchval("SHOW idle_in_transaction_session_timeout") == "30s"
        await appender.close()
        await store.close()

    asyncio.run(work())


def test_a_connection_that_may_not_append_is_closed() -> None:
    async def work(store: EventStore) -> None:
        stranger = await asyncpg.connect(store.url)
        await stranger.execute("CREATE ROLE nobody_at_all LOGIN PASSWORD 'secret'")
        parts = urlsplit(store.url)
        url = urlunsplit(parts._replace(netloc=f"nobody_at_all:secret@{parts.netloc.rpartition('@')[2]}"))
        for _ in range(3):
            with pytest.raises(RoleNotGranted):
                await connect_appender(url)
        await asyncio.sleep(0.1)
        left = await stranger.fetchval("SELECT count(*) FROM pg_stat_activity WHERE usename = 'nobody_at_all'")
        assert left == 0
        await stranger.close()

    on_store(work)


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
