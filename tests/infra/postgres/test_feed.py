"""The live feed: what subscribers are promised when many write, connections break and nobody notifies."""

import asyncio
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any, TypeVar

import asyncpg
import pytest
from eventsourcing.persistence import Notification, StoredEvent

from infra.postgres.appending import LaneWriter
from infra.postgres.feed import Feed
from infra.postgres.hinting import Hinter
from infra.postgres.hints import LISTENER_NAME
from infra.postgres.lanes import lane_of
from infra.postgres.store import EventStore
from infra.postgres.subscriptions import (
    FeedClosed,
    FeedFailed,
    PositionsIncomplete,
    SubscriberTooSlow,
    Subscription,
)
from tests.infra.postgres.databases import new_database

LANES = 3
Event = TypeVar("Event", bound=StoredEvent)


def event(stream: str, version: int) -> StoredEvent:
    return StoredEvent(stream, version, "topic", f"{stream} {version}".encode())


def on_feed(work: Callable[[EventStore, Feed], Awaitable[None]], **settings: Any) -> None:
    """Do some work on a new store and its feed."""
    url = new_database(LANES)

    async def opened() -> None:
        async with fed(url, **settings) as (store, feed):
            await work(store, feed)

    asyncio.run(opened())


@asynccontextmanager
async def fed(url: str, **settings: Any) -> AsyncIterator[tuple[EventStore, Feed]]:
    """A store to write to, and the feed of another one, as in another process: nothing is offered to it."""
    store, other = await EventStore.open(url), await EventStore.open(url)
    feed = await Feed.open(other, **settings)
    try:
        yield store, feed
    finally:
        await feed.close()
        await other.close()
        await store.close()


async def write(store: EventStore, stream: str, versions: Sequence[int], pause: float = 0.0) -> None:
    for version in versions:
        await store.append([event(stream, version)], f"{stream}-{version}")
        await asyncio.sleep(pause)


async def take(subscription: Subscription[Event], count: int, seconds_max: float = 10.0) -> list[Event]:
    """The next events of a subscription."""
    async with asyncio.timeout(seconds_max):
        return [await anext(subscription) for _ in range(count)]


async def take_until_let_go(subscription: Subscription[Event]) -> tuple[list[Event], SubscriberTooSlow]:
    """The events that a subscriber that was too slow still gets, and the refusal after them."""
    events: list[Event] = []
    try:
        async for stored in subscription:
            events.append(stored)  # noqa: PERF401 - a comprehension would lose them
    except SubscriberTooSlow as told:
        return events, told
    pytest.fail("it was not let go")


async def nothing_more_comes(subscription: Subscription[Event]) -> None:
    with pytest.raises(TimeoutError):
        await take(subscription, 1, seconds_max=0.1)


def versions_of(events: Sequence[StoredEvent]) -> list[int]:
    return [stored.originator_version for stored in events]


def positions_by_lane(events: Sequence[Notification]) -> dict[int, list[int]]:
    positions = defaultdict(list)
    for notification in events:
        positions[lane_of(str(notification.originator_id), LANES)].append(notification.id)
    return positions


def assert_complete(events: Sequence[Notification], after: Sequence[int], until: Sequence[int]) -> None:
    """Each lane's positions are all there, once and in order."""
    positions = positions_by_lane(events)
    for lane in range(LANES):
        assert positions[lane] == list(range(after[lane] + 1, until[lane] + 1))


async def ends(store: EventStore) -> list[int]:
    return [await store.position(lane) for lane in range(LANES)]


async def end_backends(url: str, condition: str) -> int:
    connection = await asyncpg.connect(url)
    ended = await connection.fetch(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"  # noqa: S608 - the test's own words
        f" WHERE datname = current_database() AND pid <> pg_backend_pid()"
        f" AND backend_type = 'client backend' AND {condition}"
    )
    await connection.close()
    return len(ended)


def test_a_subscriber_gets_what_was_stored_and_then_what_is_new_in_order() -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        await write(store, "game", range(1, 4))
        with feed.stream("game") as game, feed.everything() as everything:
            assert versions_of(await take(game, 3)) == [1, 2, 3]
            await write(store, "other", range(1, 3))
            await write(store, "game", range(4, 6))

            assert [stored.state for stored in await take(game, 2)] == [b"game 4", b"game 5"]
            assert_complete(await take(everything, 7), (0,) * LANES, await ends(store))
            await nothing_more_comes(game)
            await nothing_more_comes(everything)

    on_feed(work)


def test_a_notification_wakes_the_feed_long_before_the_clock_does() -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        game = feed.stream("game")
        await write(store, "game", [1])
        await take(game, 1)
        started = perf_counter()
        for version in range(2, 12):
            await write(store, "game", [version])
            await take(game, 1)
        assert perf_counter() - started < 5

    on_feed(work, poll_seconds=60)


def test_a_subscriber_resumes_after_a_version_or_after_a_position_in_each_lane() -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        await asyncio.gather(*(write(store, f"game-{n}", range(1, 11)) for n in range(9)))
        everything = feed.everything()
        first = await take(everything, 40)
        received = everything.received
        everything.close()

        rest = await take(feed.everything(after=received), 50)
        assert_complete([*first, *rest], (0,) * LANES, await ends(store))
        assert versions_of(await take(feed.stream("game-3", after=7), 3)) == [8, 9, 10]

        fresh = feed.everything(after=await ends(store))
        ahead = feed.stream("game-3", after=11)
        await write(store, "game-3", [11, 12])
        new = await take(fresh, 2)
        assert versions_of(new) == [11, 12]
        assert versions_of(await take(ahead, 1)) == [12]

    on_feed(work)


def test_positions_that_do_not_fit_the_lanes_are_refused() -> None:
    async def work(_: EventStore, feed: Feed) -> None:
        with pytest.raises(PositionsIncomplete, match="one for each lane, not 2"):
            feed.everything(after=(1, 2))

    on_feed(work)


@pytest.mark.parametrize("batch_max", [3, 500])
def test_whenever_a_subscriber_joins_there_is_no_gap_and_no_duplicate(batch_max: int) -> None:
    """Several stores with a feed each are written at once; subscribers join at random moments, from random places."""
    url, chance = new_database(LANES), random.Random(batch_max)
    games, length = 12, 40
    total = games * length

    async def join_everything(store: EventStore, feed: Feed) -> None:
        await asyncio.sleep(chance.uniform(0, 0.8))
        after = [chance.randint(0, position) for position in feed.positions]
        events = await take(feed.everything(after), total - sum(after), seconds_max=20)
        assert_complete(events, after, await ends(store))

    async def join_stream(_: EventStore, feed: Feed) -> None:
        await asyncio.sleep(chance.uniform(0, 0.8))
        after = chance.randint(0, 15)
        subscription = feed.stream(f"game-{chance.randrange(games)}", after)
        events = await take(subscription, length - after, seconds_max=20)
        assert versions_of(events) == list(range(after + 1, length + 1))
        await nothing_more_comes(subscription)

    async def work() -> None:
        async with (
            fed(url, batch_max=batch_max) as one,
            fed(url, batch_max=batch_max) as two,
            fed(url, batch_max=batch_max) as three,
        ):
            processes = (one, two, three)
            writers = [write(processes[n % 3][0], f"game-{n}", range(1, length + 1), 0.01) for n in range(games)]
            joiners = [
                join(*process) for process in processes for _ in range(30) for join in (join_everything, join_stream)
            ]
            await asyncio.gather(*writers, *joiners)
            assert sum(await ends(one[0])) == total

    asyncio.run(work())


def test_what_the_tail_hands_over_while_a_subscriber_reads_history_reaches_it_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        await write(store, "game", [1, 2])
        witness = feed.everything()
        await take(witness, 2)
        own = feed._store  # noqa: SLF001 - the store that the feed reads
        read_stream = own.read_stream

        async def read_before_and_answer_after_more(stream: str, after: int = 0) -> list[StoredEvent]:
            events = await read_stream(stream, after)
            await write(store, "game", [3, 4])
            await take(witness, 2)
            return events

        async def answer_only_after_more(stream: str, after: int = 0) -> list[StoredEvent]:
            await write(store, "game", [5, 6])
            await take(witness, 2)
            return await read_stream(stream, after)

        for reads, last in ((read_before_and_answer_after_more, 4), (answer_only_after_more, 6)):
            monkeypatch.setattr(own, "read_stream", reads)
            game = feed.stream("game")
            assert versions_of(await take(game, last)) == list(range(1, last + 1))
            await nothing_more_comes(game)

    on_feed(work)


def test_a_slow_subscriber_is_let_go_delays_nobody_and_resumes_where_it_stood() -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        slow, slow_game, quick = feed.everything(), feed.stream("game-0"), feed.everything()
        await write(store, "game-0", [1])
        first, first_of_game = await take(slow, 1), await take(slow_game, 1)
        reading = asyncio.create_task(take(quick, 1 + 6 * 50))
        await asyncio.gather(*(write(store, f"game-{n}", range(1 + (n == 0), 51 + (n == 0))) for n in range(6)))
        assert_complete(await reading, (0,) * LANES, await ends(store))

        more, told = await take_until_let_go(slow)
        more_of_game, told_game = await take_until_let_go(slow_game)
        assert 7 <= len(more) <= 8  # Never more in memory than a queue holds; one of them may have been read before.
        assert 7 <= len(more_of_game) <= 8
        assert told.received == slow.received
        assert "can resume there" in str(told)
        assert told_game.received == slow_game.received == 1 + len(more_of_game)

        rest = await take(feed.everything(slow.received), 300 - len(more))
        assert_complete([*first, *more, *rest], (0,) * LANES, await ends(store))
        rest_of_game = await take(feed.stream("game-0", slow_game.received), 51 - slow_game.received)
        assert versions_of([*first_of_game, *more_of_game, *rest_of_game]) == list(range(1, 52))

    on_feed(work, queue_max=8)


def test_a_subscriber_far_behind_reads_at_its_own_pace_and_is_not_let_go() -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        await asyncio.gather(*(write(store, f"game-{n}", range(1, 41)) for n in range(5)))
        everything = feed.everything()
        events = await take(everything, 5)
        await asyncio.gather(*(write(store, f"game-{n}", range(41, 81)) for n in range(5)))

        events += await take(everything, 395)
        assert_complete(events, (0,) * LANES, await ends(store))

    on_feed(work, queue_max=4, batch_max=10)


def test_a_reader_that_gives_up_waiting_and_comes_back_has_missed_nothing() -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        writing = asyncio.create_task(write(store, "game", range(1, 101), 0.001))
        events: list[StoredEvent] = []
        subscription = feed.stream("game")
        while len(events) < 100:
            try:
                async with asyncio.timeout(random.uniform(0, 0.003)):
                    events.append(await anext(subscription))
            except TimeoutError:
                continue
        await writing
        assert versions_of(events) == list(range(1, 101))

    on_feed(work)


def test_lost_connections_under_load_lose_nothing() -> None:
    """The listener and the store's readers are ended again and again; only reconnecting can help before the clock."""
    url = new_database(LANES)

    async def work() -> None:
        async with fed(url, poll_seconds=60, retry_seconds=0.02) as (store, feed):
            everything, game = feed.everything(), feed.stream("game-0")
            reading = asyncio.gather(take(everything, 600, seconds_max=20), take(game, 100, seconds_max=20))
            writing = asyncio.gather(*(write(store, f"game-{n}", range(1, 101), 0.01) for n in range(6)))
            listeners = readers = 0
            while not writing.done():
                listeners += await end_backends(url, f"application_name = '{LISTENER_NAME}'")
                readers += await end_backends(url, "query ~ 'pg_advisory_unlock_all|^SELECT originator'")
                await asyncio.sleep(random.uniform(0.01, 0.1))
            events, of_game = await reading
            assert listeners > 2
            assert readers > 2
            assert_complete(events, (0,) * LANES, await ends(store))
            assert versions_of(of_game) == list(range(1, 101))

    asyncio.run(work())


def test_without_any_notification_the_clock_brings_everything_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    url = new_database(LANES)
    told: list[str] = []
    monkeypatch.setattr(Hinter, "reached", lambda _, lane, position: told.append(f"{lane} {position}"))

    async def work() -> None:
        async with fed(url, poll_seconds=0.1) as (store, feed):
            everything, game = feed.everything(), feed.stream("game-1")
            await asyncio.sleep(0.2)
            writing = asyncio.gather(*(write(store, f"game-{n}", range(1, 31), 0.01) for n in range(6)))
            assert versions_of(await take(game, 30)) == list(range(1, 31))
            assert_complete(await take(everything, 180), (0,) * LANES, await ends(store))
            await writing
            assert told

    asyncio.run(work())


def test_a_thousand_subscribers_of_one_game_share_each_event() -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        await write(store, "game", range(1, 6))
        watchers = [feed.stream("game") for _ in range(1000)]
        elsewhere = [feed.stream(f"quiet-{n}") for n in range(200)]
        quiet = [asyncio.create_task(anext(subscription)) for subscription in elsewhere]
        await asyncio.gather(*(take(watcher, 5) for watcher in watchers))

        started = perf_counter()
        taking = asyncio.gather(*(take(watcher, 50) for watcher in watchers))
        await write(store, "game", range(6, 56))
        received = await taking
        assert perf_counter() - started < 5

        assert all(versions_of(events) == list(range(6, 56)) for events in received)
        assert {len(set(map(id, same))) for same in zip(*received, strict=True)} == {1}
        assert not any(task.done() for task in quiet)
        for task in quiet:
            task.cancel()
        await asyncio.gather(*quiet, return_exceptions=True)

    on_feed(work)


def test_a_subscription_that_is_left_is_handed_nothing_more() -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        await write(store, "game", [1, 2])
        with feed.stream("game") as game:
            async for _ in game:
                break
        with pytest.raises(StopAsyncIteration):
            await anext(game)
        assert game.received == 1

    on_feed(work)


def test_closing_the_feed_ends_every_subscription_wherever_it_is() -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        await asyncio.gather(*(write(store, f"game-{n}", range(1, 21)) for n in range(5)))
        behind, unread, waiting = feed.everything(), feed.stream("game-1"), feed.stream("game-2", after=20)
        await take(behind, 3)
        waits = asyncio.create_task(anext(waiting, None))
        joining = [asyncio.create_task(anext(feed.stream("game-3", after=20), None)) for _ in range(50)]
        await asyncio.sleep(0.002)
        async with asyncio.timeout(1):
            await feed.close()
            await feed.close()

            assert await waits is None
            assert await asyncio.gather(*joining) == [None] * 50
            assert [notification async for notification in behind] == []
            assert [stored async for stored in unread] == []
        with pytest.raises(FeedClosed):
            feed.stream("game-1")

    on_feed(work, batch_max=5)


def test_a_stream_id_that_the_database_cannot_take_fails_its_subscriber_alone() -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        for subscription in (feed.stream("nul \0"), feed.stream("game", after=2**70)):
            with pytest.raises((ValueError, asyncpg.DataError)):
                await take(subscription, 1)
            subscription.close()
        await write(store, "game", [1])
        assert versions_of(await take(feed.stream("game"), 1)) == [1]

    on_feed(work)


def test_an_event_that_strayed_into_another_lane_holds_nobody_up() -> None:
    """Our own writers put none there; whoever owns the database can."""

    async def work(store: EventStore, feed: Feed) -> None:
        stray = next(f"game-{n}" for n in range(99) if lane_of(f"game-{n}", LANES) == 1)
        at_home = next(f"game-{n}" for n in range(99) if lane_of(f"game-{n}", LANES) == 0)
        writer = LaneWriter("lane_0", store.connect_appender)
        writer.start()
        await writer.append([event(stray, 1)], "stray")
        await writer.close()
        with feed.everything() as behind:
            await write(store, at_home, [1, 2])
            followed = await take(behind, 3)
            assert [stored.originator_id for stored in followed] == [stray, at_home, at_home]

    on_feed(work)


def test_a_fault_that_waiting_cannot_mend_is_told_to_all_who_wait() -> None:
    url = new_database(LANES)

    async def work() -> None:
        async with fed(url, poll_seconds=0.1) as (_, feed):
            waits = asyncio.create_task(take(feed.stream("game"), 1))
            await asyncio.sleep(0.05)
            connection = await asyncpg.connect(url)
            await connection.execute("ALTER TABLE lane_1.stored_events RENAME TO mislaid")
            await connection.close()
            with pytest.raises(FeedFailed, match="UndefinedTable"):
                await waits
            with pytest.raises(FeedFailed):
                await take(feed.everything(), 1)

    asyncio.run(work())


def test_what_this_process_appends_is_handed_over_without_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    async def blind(*_: object) -> list[Notification]:
        return []

    url = new_database(LANES)

    async def work() -> None:
        store = await EventStore.open(url)
        feed = await Feed.open(store, poll_seconds=60)
        with feed.stream("game") as subscription, feed.everything(feed.positions) as everything:
            await store.append([event("game", 1)], "first")
            await take(subscription, 1)
            await take(everything, 1)
            monkeypatch.setattr(store, "read_lane", blind)
            for version in range(2, 30):
                await store.append([event("game", version)], f"r{version}")
            assert [one.originator_version for one in await take(subscription, 28)] == list(range(2, 30))
            assert [one.originator_version for one in await take(everything, 28)] == list(range(2, 30))
        await feed.close()
        await store.close()

    asyncio.run(work())


def test_what_is_offered_and_what_is_read_come_in_one_order_without_gap_or_duplicate() -> None:
    """Two stores write the same games; the feed of one is offered half of it and reads the other half."""
    url = new_database(LANES)

    async def work() -> None:
        stores = [await EventStore.open(url) for _ in range(2)]
        feed = await Feed.open(stores[0])
        with feed.everything() as subscription:
            writers = [
                write(store, f"{index}-{number}", range(1, 40), pause=0.001)
                for index, store in enumerate(stores)
                for number in range(8)
            ]
            taking = asyncio.create_task(take(subscription, 2 * 8 * 39, 30))
            await asyncio.gather(*writers)
            received = await taking
        by_lane = defaultdict(list)
        for one in received:
            by_lane[lane_of(str(one.originator_id), LANES)].append(one.id)
        assert all(ids == list(range(1, len(ids) + 1)) for ids in by_lane.values())
        await feed.close()
        for store in stores:
            await store.close()

    asyncio.run(work())


def test_a_feed_reads_only_the_games_that_somebody_follows_and_a_whole_lane_for_who_follows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        read: list[str] = []
        hand_over = feed._roster.hand_over  # noqa: SLF001 - what passes through the feed

        def noted(lane: int, notification: Notification) -> None:
            read.append(str(notification.originator_id))
            hand_over(lane, notification)

        monkeypatch.setattr(feed._roster, "hand_over", noted)  # noqa: SLF001 - as above
        followed = feed.stream("game-1")
        await asyncio.gather(*(write(store, f"game-{n}", range(1, 31), 0.005) for n in range(6)), take(followed, 30))
        assert set(read) == {"game-1"}

        followed.close()
        lane = lane_of("game-2", LANES)
        whole = feed.everything(await ends(store), lanes=[lane])
        waiting = asyncio.create_task(take(whole, 1))
        await asyncio.sleep(0.1)
        read.clear()
        await asyncio.gather(*(write(store, f"game-{n}", [31, 32]) for n in range(6)))
        events = [
            await waiting,
            *await take(whole, sum(2 for n in range(6) if lane_of(f"game-{n}", LANES) == lane) - 1),
        ]
        await nothing_more_comes(whole)
        assert {lane_of(stream, LANES) for stream in read} == {lane}
        assert len(events) == len(read)

    on_feed(work)


def test_many_who_come_and_go_while_others_write_miss_nothing() -> None:
    async def work(store: EventStore, feed: Feed) -> None:
        async def visit(number: int) -> None:
            await asyncio.sleep(random.uniform(0, 1.0))
            with feed.stream(f"game-{number % 8}") as game:
                assert versions_of(await take(game, 100, seconds_max=30)) == list(range(1, 101))

        writers = (write(store, f"game-{n}", range(1, 101), 0.01) for n in range(8))
        await asyncio.gather(*writers, *(visit(number) for number in range(80)))

    on_feed(work)
