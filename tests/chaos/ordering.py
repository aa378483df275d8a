"""The ordering test: readers that follow lanes never skip, repeat or reorder, whatever writers do to each other.

Many writers in several stores write the same lanes. Between them others take a lane's lock and then roll back, hold on to
it before they commit, or are cut off while they hold it.
"""

import asyncio
import random
import time
from collections.abc import Callable
from itertools import count
from typing import Literal, TypeAlias

import asyncpg
from eventsourcing.persistence import StoredEvent
from msgspec import Struct

from infra.postgres.appending import LaneWriter
from infra.postgres.connections import Connection
from infra.postgres.lanes import lane_name, lane_of
from infra.postgres.store import EventStore
from tests.chaos.tailing import GHOST, Read, Tail, Troubles

PARKED_SECONDS_MAX = 0.03
GHOST_EVENTS = 7

Disturbance: TypeAlias = Literal["rolled back", "parked", "cut off"]


class OrderReport(Struct):
    """What a run of the ordering test did and found."""

    events: int
    appends: int
    lanes: int
    polls: int
    disturbances: "dict[Disturbance, int]"
    troubles: Troubles
    seconds: float


class _Answer(Struct, frozen=True):
    lane: int
    position: int
    stream: str
    version: int
    count: int


class Ordering:
    """One run: what is to be written, what was answered, and who follows."""

    def __init__(self, url: str, events_wanted: int, seed: int, batch: int) -> None:
        self.url = url
        self.events_wanted, self.batch = events_wanted, batch
        self.seed = seed
        self.events_sent = 0
        self.answers: list[_Answer] = []
        self.events_answered = 0
        self.disturbances: dict[Disturbance, int] = {"rolled back": 0, "parked": 0, "cut off": 0}
        self.written = False

    async def run(self, stores_count: int, writers_count: int, tell: Callable[[str], None]) -> OrderReport:
        start = time.monotonic()
        stores = [await EventStore.open(self.url) for _ in range(stores_count + 1)]
        reading, *writing = stores
        tails = [
            Tail(_reading(reading, lane), random.Random(f"{self.seed} tail {lane}")) for lane in range(reading.lanes)
        ]
        try:
            async with asyncio.TaskGroup() as group:
                for tail in tails:
                    group.create_task(tail.follow(lambda: self.written))
                group.create_task(self._write_all(writing, writers_count))
                group.create_task(self._progress(tell, start))
            for tail in tails:
                await tail.look_again()
        finally:
            for store in stores:
                await store.close()
        return self._report(tails, time.monotonic() - start)

    async def _write_all(self, stores: list[EventStore], writers_count: int) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(writers_count):
                    group.create_task(self._writer(stores[number % len(stores)], f"game-{number}"))
                for lane in range(stores[0].lanes):
                    group.create_task(self._disturber(stores[lane % len(stores)], lane))
        finally:
            self.written = True

    async def _writer(self, store: EventStore, stream: str) -> None:
        """Write one game, version after version, in appends of different sizes; some have only one event."""
        chance = random.Random(f"{self.seed} {stream}")
        version = 1
        while self.events_sent < self.events_wanted:
            size = 1 if chance.random() < 0.1 else chance.randint(self.batch // 2, self.batch)
            self.events_sent += size
            appended = await store.append(_events(stream, version, size), f"{stream} {version}")
            self._answered(_Answer(lane_of(stream, store.lanes), appended.position_first, stream, version, size))
            version += size

    async def _disturber(self, store: EventStore, lane: int) -> None:
        """Take the lane's lock again and again, and misbehave while holding it."""
        chance = random.Random(f"{self.seed} disturber {lane}")
        for number in count():
            if self.events_sent >= self.events_wanted:
                return
            kind: Disturbance = chance.choice(["rolled back", "parked", "cut off"])
            connection = await store.connect_appender()
            try:
                await self._disturb(kind, lane, f"{GHOST if kind != 'parked' else kind}-{lane}-{number}", connection)
            finally:
                await connection.close()
            self.disturbances[kind] += 1
            await asyncio.sleep(chance.uniform(0, 0.05))

    async def _disturb(self, kind: Disturbance, lane: int, stream: str, connection: Connection) -> None:
        transaction = connection.transaction()
        await transaction.start()
        writer = LaneWriter(lane_name(lane), _nowhere)
        appended = await writer.append_within(connection, _events(stream, 1, GHOST_EVENTS), stream)
        await asyncio.sleep(random.uniform(0, PARKED_SECONDS_MAX))
        match kind:
            case "rolled back":
                await transaction.rollback()
            case "parked":
                await transaction.commit()
                self.events_sent += GHOST_EVENTS
                self._answered(_Answer(lane, appended.position_first, stream, 1, GHOST_EVENTS))
            case "cut off":
                await self._cut_off(connection.get_server_pid())

    async def _cut_off(self, process: int) -> None:
        """End another session that holds the lock."""
        executioner = await asyncpg.connect(self.url)
        try:
            assert await executioner.fetchval("SELECT pg_terminate_backend($1, 5000)", process)
        finally:
            await executioner.close()

    def _answered(self, answer: _Answer) -> None:
        self.answers.append(answer)
        self.events_answered += answer.count

    async def _progress(self, tell: Callable[[str], None], start: float) -> None:
        told = start
        while not self.written:
            await asyncio.sleep(0.05)
            if time.monotonic() - told > 5:
                told = time.monotonic()
                tell(f"{self.events_answered:,} of {self.events_wanted:,} events after {told - start:.0f} s")

    def _report(self, tails: list[Tail], seconds: float) -> OrderReport:
        troubles = Troubles()
        for tail in tails:
            troubles.add(tail.troubles)
        for answer in self.answers:
            troubles.missing += tails[answer.lane].holds(answer.position, answer.stream, answer.version, answer.count)
        # Nothing is seen that nobody was told about either.
        troubles.ghosts += sum(len(tail.streams) for tail in tails) - self.events_answered
        polls = sum(tail.polls for tail in tails)
        counts = (self.events_answered, len(self.answers), len(tails), polls)
        return OrderReport(*counts, self.disturbances, troubles, seconds)


def order(
    url: str,
    events_wanted: int,
    *,
    seed: int,
    batch: int = 40,
    stores: int = 3,
    writers: int = 60,
    tell: Callable[[str], None] = lambda _: None,
) -> OrderReport:
    """Write so many events and follow them meanwhile."""
    return asyncio.run(Ordering(url, events_wanted, seed, batch).run(stores, writers, tell))


def _events(stream: str, version: int, size: int) -> list[StoredEvent]:
    return [StoredEvent(stream, version + index, "topic", b"%d" % (version + index)) for index in range(size)]


def _reading(store: EventStore, lane: int) -> Read:
    return lambda after, limit: store.read_lane(lane, after, limit)


async def _nowhere() -> Connection:
    raise AssertionError("only transactions of the caller's are written")
