"""`python -m tests.benchmarks.store`: what an append costs, against the library's recorder and plain single commits.

All of it in one run on one embedded Postgres with fsync on, because only ratios mean anything on a shared machine.
"""

import asyncio
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from psycopg.conninfo import conninfo_to_dict
from rich.console import Console
from rich.table import Table

from infra.embedded.postgres import EmbeddedPostgres
from infra.postgres.lanes import lane_name, lane_of
from infra.postgres.store import EventStore
from services.app.environment import migrate_database

STATE = b'{"seat":0,"quantity":3,"face":6,"at":1767225600000}' * 2
CONCURRENCIES = (1, 64, 256)
SECONDS = 0.5
TURNS = 11
GAME_EVENTS = 300
LONE_STREAMS, LONE_EVENTS = 20, 100


class Measured(NamedTuple):
    """What was measured of one way to append."""

    rate: float
    p50: float
    p99: float


def event(stream: str, version: int) -> StoredEvent:
    return StoredEvent(stream, version, "bid-placed.v1", STATE)


async def measured(concurrency: int, append: Callable[[StoredEvent], Awaitable[object]]) -> Measured:
    """Let so many writers append one event after the other, each to streams of its own, for some seconds."""
    times: list[float] = []
    until = time.perf_counter() + SECONDS

    async def writer() -> None:
        stream, version = uuid4().hex, 0
        while (began := time.perf_counter()) < until:
            version += 1
            await append(event(stream, version))
            times.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*(writer() for _ in range(concurrency)))
    times.sort()
    rate = len(times) / (time.perf_counter() - began)
    return Measured(rate, statistics.median(times) * 1e3, times[int(len(times) * 0.99)] * 1e3)


async def of_store(url: str, concurrency: int) -> Measured:
    store = await EventStore.open(url)
    try:
        return await measured(concurrency, lambda stored: store.append([stored], uuid4().hex))
    finally:
        await store.close()


async def untouched(_: object) -> None:
    """A connection goes back to its pool without the round trip that cleans it, as ours do."""


async def of_single_commits(url: str, concurrency: int) -> Measured:
    """The fastest that single commits can be: a prepared insert for each event, over a pool of connections."""
    pool = await asyncpg.create_pool(url, min_size=1, max_size=min(concurrency, 64), reset=untouched)
    await pool.execute(
        "CREATE TABLE IF NOT EXISTS single_commits (originator_id text, originator_version bigint, topic text,"
        " state bytea, notification_id bigserial UNIQUE, PRIMARY KEY (originator_id, originator_version))"
    )
    sql = "INSERT INTO single_commits (originator_id, originator_version, topic, state) VALUES ($1, $2, $3, $4)"
    try:
        return await measured(
            concurrency,
            lambda stored: pool.fetch(sql, stored.originator_id, stored.originator_version, stored.topic, stored.state),
        )
    finally:
        await pool.close()


async def of_library(url: str, concurrency: int) -> Measured:
    """The library's own recorder, called from as many threads."""
    named = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    threads = min(concurrency, 64)
    datastore = PostgresDatastore(
        dbname=named["dbname"],
        host=named["host"],
        port=named.get("port", "5432"),
        user=named["user"],
        password=named["password"],
        pool_size=threads,
        max_waiting=0,
        originator_id_type="text",
    )
    recorder = PostgresApplicationRecorder(datastore, events_table_name="library_events")
    recorder.create_table()
    executor = ThreadPoolExecutor(threads)
    loop = asyncio.get_running_loop()
    try:
        return await measured(
            concurrency, lambda stored: loop.run_in_executor(executor, recorder.insert_events, [stored])
        )
    finally:
        executor.shutdown()
        datastore.close()


async def appends(console: Console, url: str) -> list[str]:
    """The table of appends, and which aims were missed.

    The recorders take turns, again and again, and a ratio is the median of those of the turns: what disturbs the machine
    for a while then disturbs all of them or is outvoted.
    """
    table = Table("at once", "recorder", "appends/s", "p50 ms", "p99 ms", "against library", "against single")
    missed = []
    for concurrency in CONCURRENCIES:
        turns = [
            (
                await of_library(url, concurrency),
                await of_single_commits(url, concurrency),
                await of_store(url, concurrency),
            )
            for _ in range(TURNS)
        ]
        for index, name in enumerate(("library", "single commits", "ours")):
            figures = [statistics.median(values) for values in zip(*(turn[index] for turn in turns), strict=True)]
            table.add_row(
                str(concurrency),
                name,
                f"{figures[0]:.0f}",
                f"{figures[1]:.2f}",
                f"{figures[2]:.2f}",
                f"{_ratio(turns, index, 0):.1f}x",
                f"{_ratio(turns, index, 1):.2f}x",
            )
        missed += _missed(concurrency, turns)
    console.print(table)
    return missed


def _ratio(turns: list[tuple[Measured, Measured, Measured]], index: int, other: int) -> float:
    return statistics.median(turn[index].rate / turn[other].rate for turn in turns)


def _missed(concurrency: int, turns: list[tuple[Measured, Measured, Measured]]) -> list[str]:
    library, single = _ratio(turns, 2, 0), _ratio(turns, 2, 1)
    if concurrency == 64 and (library < 20 or single < 3):
        return [f"at 64, ours is {library:.1f}x the library, aim 20, and {single:.1f}x single commits, aim 3"]
    return []


async def alone(console: Console, url: str) -> list[str]:
    """One append at a time, one by one in turns with a single commit: what a disk does in between hits both alike."""
    store = await EventStore.open(url)
    pool = await asyncpg.create_pool(url, min_size=1, max_size=1, reset=untouched)
    single = "INSERT INTO single_commits (originator_id, originator_version, topic, state) VALUES ($1, $2, $3, $4)"
    theirs, ours, handed = [], [], []
    for _ in range(LONE_STREAMS):
        stream, other = uuid4().hex, uuid4().hex
        for version in range(1, LONE_EVENTS + 1):
            stored, again = event(stream, version), event(other, version)
            began = time.perf_counter()
            await pool.fetch(single, stored.originator_id, stored.originator_version, stored.topic, stored.state)
            first = time.perf_counter()
            await store.append([stored], uuid4().hex)
            second = time.perf_counter()
            await store.append([again], uuid4().hex, at_once=False)
            theirs.append(first - began)
            ours.append(second - first)
            handed.append(time.perf_counter() - second)
    await pool.close()
    await store.close()
    commit, lone, handed_over = (statistics.median(times) for times in (theirs, ours, handed))
    ratio = commit / lone
    console.print(
        f"alone, in turns: a single commit p50 {commit * 1e3:.3f} ms; ours {lone * 1e3:.3f} ms, {ratio:.2f} of its speed; "
        f"handed over to the writer, as the server does, {handed_over * 1e3:.3f} ms, {commit / handed_over:.2f}"
    )
    return [f"alone, ours is at {ratio:.2f} of a single commit, aim 0.9"] if ratio < 0.9 else []


async def loading(url: str) -> tuple[float, float]:
    """Loading a game of 300 events: the best of ours and of the bare SELECT of the same rows, in seconds."""
    store = await EventStore.open(url)
    stream = uuid4().hex
    await store.append([event(stream, version) for version in range(1, GAME_EVENTS + 1)], uuid4().hex)
    connection = await asyncpg.connect(url)
    lane = lane_name(lane_of(stream, store.lanes))
    bare = f"SELECT originator_version, topic, state FROM {lane}.stored_events WHERE originator_id = $1 ORDER BY 1"  # noqa: S608
    ours_best = bare_best = float("inf")
    for _ in range(50):
        began = time.perf_counter()
        [StoredEvent(stream, *row) for row in await connection.fetch(bare, stream)]
        middle = time.perf_counter()
        await store.read_stream(stream)
        bare_best = min(bare_best, middle - began)
        ours_best = min(ours_best, time.perf_counter() - middle)
    await connection.close()
    await store.close()
    return ours_best, bare_best


async def fill(url: str, events: int) -> None:
    """Store many events quickly, in appends of 500."""
    store = await EventStore.open(url)

    async def part(count: int) -> None:
        for _ in range(count):
            stream = uuid4().hex
            await store.append([event(stream, version) for version in range(1, 501)], uuid4().hex)

    await asyncio.gather(*(part(events // 500 // 16) for _ in range(16)))
    await store.close()


async def settle(url: str) -> None:
    """Let the database finish what it would do in the background for a while after so many writes."""
    connection = await asyncpg.connect(url)
    await connection.execute("VACUUM ANALYZE")
    await connection.execute("CHECKPOINT")
    await connection.close()


async def growth(console: Console, few_url: str, many_url: str, events: int) -> list[str]:
    """The same figures with few and with many events in the store, in turns, and the memory that many appends took."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    await fill(many_url, events)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    for url in (few_url, many_url):
        await settle(url)
    rates, loads, bares = [], [], []
    for _ in range(TURNS):
        few, many = await of_store(few_url, 64), await of_store(many_url, 64)
        rates.append(many.rate / few.rate)
        (few_ours, few_bare), (many_ours, many_bare) = await loading(few_url), await loading(many_url)
        loads.append(many_ours / few_ours)
        bares += [few_ours / few_bare, many_ours / many_bare]
    rate, load, bare = (statistics.median(values) for values in (rates, loads, bares))
    console.print(
        f"with {events:,} events stored: appends at {rate:.2f} of the rate of a store with few, loading a game of "
        f"{GAME_EVENTS} events in {load:.2f} of the time and {bare:.2f}x that of the bare SELECT; the process grew by "
        f"{grown / 1024:.1f} MiB meanwhile"
    )
    missed = [f"loading takes {bare:.2f}x the bare SELECT, aim 1.5"] if bare > 1.5 else []
    return missed + (["a full store is slower by more than a fifth"] if rate < 0.8 or load > 1.2 else [])


async def measure(url: str, events: int) -> list[str]:
    console = Console(highlight=False, width=110)
    full = await another_database(url)
    for store in (url, full):
        await migrate_database(store)
    return [*await appends(console, url), *await alone(console, url), *await growth(console, url, full, events)]


async def another_database(url: str) -> str:
    """The URL of a second database on the same server."""
    connection = await asyncpg.connect(url)
    await connection.execute("CREATE DATABASE full_store")
    await connection.close()
    return urlunsplit(urlsplit(url)._replace(path="/full_store"))


def main() -> int:
    """Measure on a new server and print the results; the exit code says whether an aim was missed."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with (
        tempfile.TemporaryDirectory(prefix="liarsdice-bench-") as folder,
        EmbeddedPostgres(Path(folder) / "data") as server,
    ):
        missed = asyncio.run(measure(server.url, events))
    for sentence in missed:
        sys.stdout.write(f"missed: {sentence}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
