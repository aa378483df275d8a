"""`python -m tests.benchmarks.reading`: how fast read models follow, and how fast games are replayed from them.

Two stores take turns: one with a thousand games, one with a hundred thousand, so that what depends on the size of a store
shows. Catching up is held against a bare read-and-decode of the same rows, a replay against the bare SELECT of its events.
"""

import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

import asyncpg
import httpx
from eventsourcing.persistence import StoredEvent
from rich.console import Console
from rich.table import Table

from domain.options import Options
from infra.embedded.postgres import EmbeddedPostgres
from infra.events.mapping import EventMapper, EventTranscoder
from infra.postgres.connections import open_pool
from infra.postgres.store import EventStore
from services.access.caller import NOBODY
from services.access.sight import Sight
from services.app.environment import migrate_database
from services.app.run_loop import run_to_its_end
from services.archive.archive import Archive
from services.projector.history import HistoryProjection
from services.projector.models import PROJECTIONS
from services.projector.projector import Projector
from services.projector.rebuild import Progress, Rebuild
from services.projector.status import status_of
from services.simulation.simulation import Setup, play_game, setups_of_all
from tests.audit.stored_games import stored
from tests.benchmarks.store import another_database
from tests.chaos.exporting import read
from tests.infra.postgres.databases import folder_for_a_server
from tests.servers import ServerProcess

TURNS = 5
FEW, MANY = 1_000, 100_000
TURN_GAMES = 200
REPLAY_EVENTS = 300
REPLAYS = 60
RATE_MIN, SHARE_MIN = 25_000, 0.3
REPLAY_MAX, UNCHANGED, LAG_SECONDS_MAX = 2.0, 0.2, 0.2
LOAD_SECONDS, LOAD_RATE = 10.0, 1_500
GAME_MILLISECONDS = 3_600_000
EXPORT_AIMS = {"ndjson": 1.0, "csv": 0.5, "notation": 0.3}
_RECORDS = "SELECT count(*) FROM history_v2.records"
_NUMBERS = count()
_AT = re.compile(rb'"at":(\d+)')
_KEYLESS = EventMapper(EventTranscoder())


def templates(setups: Sequence[Setup], games: int) -> list[list[StoredEvent]]:
    """Whole games as they are stored, to be stored many times under other names."""
    found = []
    for index, setup in enumerate(islice(cycle(setups), games)):
        found.append(stored("template-0000000", play_game(setup, 9, index).events))
    return found


def renamed(template: Sequence[StoredEvent]) -> list[StoredEvent]:
    """The same game with another id and a later time: games come in the order of their times, as in real stores."""
    number = next(_NUMBERS)
    game_id, later = f"template-{number:07}", number * GAME_MILLISECONDS
    first = template[0].state.replace(b"template-0000000", game_id.encode())
    states = [
        _AT.sub(lambda at: b'"at":%d' % (int(at[1]) + later), state, count=1)
        for state in (first, *(event.state for event in template[1:]))
    ]
    return [
        StoredEvent(game_id, event.originator_version, event.topic, state)
        for event, state in zip(template, states, strict=True)
    ]


async def fill(url: str, played: Sequence[Sequence[StoredEvent]]) -> int:
    """Put games into a store, past its writer; returns how many events that were."""
    connection = await asyncpg.connect(url)
    try:
        head = await connection.fetchval("SELECT position FROM lane_0.head")
        rows = [
            (event.originator_id, event.originator_version, event.topic, event.state, head + number)
            for number, event in enumerate((event for game in played for event in game), 1)
        ]
        await connection.copy_records_to_table("stored_events", schema_name="lane_0", records=rows)
        await connection.execute("UPDATE lane_0.head SET position = $1", head + len(rows))
        return len(rows)
    finally:
        await connection.close()


class Side:
    """A store of one size, and what is measured on it."""

    def __init__(self, url: str, pool: "asyncpg.Pool[Any]", store: EventStore, archive: Archive) -> None:
        self.url, self.pool, self.store, self.archive = url, pool, store, archive
        self.projector = Projector(pool, PROJECTIONS, 1)
        self.rates: list[float] = []
        self.shares: list[float] = []
        self.replays: list[float] = []
        self.selects: list[float] = []
        self.views: list[float] = []

    @classmethod
    async def open(cls, url: str) -> "Side":
        store = await EventStore.open(url)
        return cls(url, await open_pool(url, "liarsdice_projector"), store, await Archive.open(url, store.lanes))

    async def close(self) -> None:
        await self.archive.close()
        await self.store.close()
        await self.pool.close()

    async def caught_up(self) -> None:
        await self.projector.catch_up(0)
        connection = await asyncpg.connect(self.url)
        await connection.execute("VACUUM ANALYZE")
        await connection.execute("CHECKPOINT")
        await connection.close()

    async def turn(self, kinds: Sequence[Sequence[StoredEvent]]) -> None:
        """Read and decode the same games again, and let the projector take them in."""
        after = await self.store.position(0)
        events = await fill(self.url, [renamed(kind) for kind in kinds])
        began = time.perf_counter()
        while batch := await self.store.read_lane(0, after, 5_000):
            for notification in batch:
                _KEYLESS.to_domain_event(notification)
            after = batch[-1].id
        bare = time.perf_counter() - began
        began = time.perf_counter()
        assert await self.projector.catch_up(0) == events
        ours = time.perf_counter() - began
        self.rates.append(events / ours)
        self.shares.append(bare / ours)

    async def replay(self, game_id: str) -> None:
        """One game, as its bare rows and as a replay with all its steps; and then the view at its end."""
        began = time.perf_counter()
        rows = await self.pool.fetch(
            "SELECT originator_version, topic, state FROM lane_0.stored_events WHERE originator_id = $1 ORDER BY 1",
            game_id,
        )
        self.selects.append(time.perf_counter() - began)
        began = time.perf_counter()
        replay = (await self.archive.replay(game_id, Sight(NOBODY, time.time_ns() // 1_000_000))).replay
        steps = replay.steps
        self.replays.append(time.perf_counter() - began)
        assert len(steps) == len(rows)
        began = time.perf_counter()
        assert replay.view_at(len(rows), 0) is not None
        self.views.append(time.perf_counter() - began)


def long_game() -> list[StoredEvent]:
    """A game of about three hundred events."""
    for index in count():
        table = play_game(Setup("palafico", Options(), 4), 3, index)
        if REPLAY_EVENTS - 5 <= len(table.events) <= REPLAY_EVENTS + 5:
            return stored("template-0000000", table.events)
    raise AssertionError


async def sizes(console: Console, few: Side, many: Side) -> list[str]:
    """Catching up and replaying, in turns on the two stores."""
    kinds = templates(setups_of_all()[:: len(setups_of_all()) // TURN_GAMES], TURN_GAMES)
    for _ in range(TURNS):
        for side in (few, many):
            await side.turn(kinds)
    game = long_game()
    ids = {}
    for side in (few, many):
        copy = renamed(game)
        ids[side] = str(copy[0].originator_id)
        await fill(side.url, [copy])
        await side.caught_up()
    for _ in range(REPLAYS):
        for side in (few, many):
            await side.replay(ids[side])
    return _missed_aims(console, few, many)


def _missed_aims(console: Console, few: Side, many: Side) -> list[str]:
    """Print the results; returns a sentence for each aim that was missed."""
    middle = statistics.median
    table = Table("what", f"{FEW:,} games", f"{MANY:,} games", "aim")
    table.add_row("events/s taken in", f"{middle(few.rates):,.0f}", f"{middle(many.rates):,.0f}", f">= {RATE_MIN:,}")
    table.add_row(
        "share of a bare read-and-decode", f"{middle(few.shares):.2f}", f"{middle(many.shares):.2f}", f">= {SHARE_MIN}"
    )
    replays = [
        middle(one / other for one, other in zip(side.replays, side.selects, strict=True)) for side in (few, many)
    ]
    table.add_row("a replay against its bare SELECT", f"{replays[0]:.2f}x", f"{replays[1]:.2f}x", f"<= {REPLAY_MAX}x")
    console.print(table)
    growth = middle(one / other for one, other in zip(many.rates, few.rates, strict=True))
    slower = middle(many.replays) / middle(few.replays)
    console.print(
        f"with {MANY:,} games: {growth:.2f} of the rate, and a replay takes {slower:.2f} of the time; the view at its last "
        f"step takes {middle(many.views) / middle(many.selects):.2f}x the SELECT more"
    )
    missed = [
        f"only {rate:,.0f} events/s are taken in" for rate in (middle(few.rates), middle(many.rates)) if rate < RATE_MIN
    ]
    missed += [
        f"only {share:.2f} of a bare read" for share in (middle(few.shares), middle(many.shares)) if share < SHARE_MIN
    ]
    missed += [f"a replay takes {replay:.2f}x its SELECT" for replay in replays if replay > REPLAY_MAX]
    if growth < 1 - UNCHANGED or slower > 1 + UNCHANGED:
        missed.append("a store with many games is slower by more than a fifth")
    return missed


async def rebuilding(console: Console, side: Side) -> list[str]:
    """Build the history anew while somebody reads it all the time."""
    expected = await side.pool.fetchval("SELECT count(*) FROM history_v2.records")
    told: list[Progress] = []
    waits: list[float] = []
    short = 0

    async def read() -> None:
        nonlocal short
        while True:
            began = time.perf_counter()
            found = await side.pool.fetchval("SELECT count(*) FROM (SELECT FROM history_v2.records LIMIT 1000) AS page")
            waits.append(time.perf_counter() - began)
            short += found < min(1_000, expected)
            await asyncio.sleep(0.01)

    reading = asyncio.create_task(read())
    began = time.perf_counter()
    await Rebuild(side.url, HistoryProjection(), 1).run(told.append)
    seconds = time.perf_counter() - began
    assert not reading.done(), "a reader was refused"
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    events = told[-1].total
    console.print(
        f"history rebuilt from {events:,} events in {seconds:.0f} s ({events / seconds:,.0f} events/s), told {len(told)} "
        f"times how far it was; of {len(waits):,} reads meanwhile none was refused, {short} saw less than before, the slowest "
        f"took {max(waits) * 1e3:.0f} ms"
    )
    assert await side.pool.fetchval("SELECT count(*) FROM history_v2.records") == expected
    return ["a reader saw less while the history was rebuilt"] if short else []


async def lagging(console: Console, side: Side) -> list[str]:
    """How long after an event is stored the models have it, while games are played at a steady rate."""
    environment = {**os.environ, "DATABASE_URL": side.url}
    projector = subprocess.Popen(  # noqa: ASYNC220 - nothing else is to be done while it starts
        [sys.executable, "-m", "services.cli", "projector"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert projector.stdout is not None
    try:
        await asyncio.to_thread(projector.stdout.readline)  # It says that it has begun.
        while any(one.lag for one in await status_of(side.pool)):  # noqa: ASYNC110 - another process is waited for
            await asyncio.sleep(0.05)
        lags = await _lags(side)
    finally:
        projector.terminate()
        await asyncio.to_thread(projector.wait)
    lags.sort()
    p50, p99 = lags[len(lags) // 2], lags[int(len(lags) * 0.99)]
    console.print(
        f"lag at {LOAD_RATE:,} events/s: p50 {p50 * 1e3:.0f} ms, p99 {p99 * 1e3:.0f} ms over {len(lags):,} looks"
    )
    return [f"the lag is {p99 * 1e3:.0f} ms at p99"] if p99 > LAG_SECONDS_MAX else []


async def _lags(side: Side) -> list[float]:
    stored_at: list[tuple[int, float]] = []
    kinds = cycle(templates(setups_of_all()[::40], 20))

    async def play() -> None:
        until, sent, began = time.perf_counter() + LOAD_SECONDS, 0, time.perf_counter()
        while time.perf_counter() < until:
            game = renamed(next(kinds))
            for start in range(0, len(game), 4):
                piece = game[start : start + 4]
                appended = await side.store.append(piece, f"{piece[0].originator_id}/{start}")
                stored_at.append((appended.position_last, time.perf_counter()))
                sent += len(piece)
                ahead = sent / LOAD_RATE - (time.perf_counter() - began)
                if ahead > 0:
                    await asyncio.sleep(ahead)

    playing = asyncio.create_task(play())
    lags: list[float] = []
    done = 0
    while not playing.done() or done < len(stored_at):
        reached = await side.pool.fetchval(
            "SELECT min(position) FROM liarsdice.model_positions JOIN liarsdice.generations USING (name, version, generation) "
            "WHERE state = 'live'"
        )
        now = time.perf_counter()
        while done < len(stored_at) and stored_at[done][0] <= reached:
            lags.append(now - stored_at[done][1])
            done += 1
        await asyncio.sleep(0.002)
    await playing
    return lags


def exporting(console: Console, url: str, games: int) -> list[str]:
    """How many games a second come over HTTP in each format, beside NDJSON, which is stored as it is given out."""
    rates: dict[str, list[float]] = {form: [] for form in EXPORT_AIMS}
    with folder_for_a_server() as folder:
        server = ServerProcess(url, folder, 0.0, "--read-rate", "0")
        try:
            with httpx.Client(
                base_url=f"http://{server.http}", headers={"Accept-Encoding": "identity"}, timeout=600
            ) as client:
                for form in list(EXPORT_AIMS) * (1 + TURNS):  # The first turn warms up.
                    began = time.perf_counter()
                    read(client, form)
                    rates[form].append(games / (time.perf_counter() - began))
        finally:
            server.end()
    shares = {
        form: statistics.median(one / of_lines for one, of_lines in zip(found[1:], rates["ndjson"][1:], strict=True))
        for form, found in rates.items()
    }
    for form, share in shares.items():
        console.print(
            f"export of {games:,} games as {form}: {statistics.median(rates[form][1:]):,.0f} games/s, {share:.2f} of NDJSON"
            f" (aim >= {EXPORT_AIMS[form]})"
        )
    return [f"{form} comes at {share:.2f} of NDJSON" for form, share in shares.items() if share < EXPORT_AIMS[form]]


async def measure(url: str, many_games: int) -> list[str]:
    console = Console(highlight=False, width=110)
    other = await another_database(url)
    for one in (url, other):
        await migrate_database(one, 1)
    few, many = await Side.open(url), await Side.open(other)
    small = templates([Setup("single-hand", Options(dice_each=2), 2)], 50)
    try:
        for side, games in ((few, min(FEW, many_games)), (many, many_games)):
            for start in range(0, games, 5_000):
                await fill(
                    side.url, [renamed(small[number % 50]) for number in range(start, min(start + 5_000, games))]
                )
            began = time.perf_counter()
            events = await side.projector.catch_up(0)
            console.print(f"{events:,} events of {games:,} games taken in within {time.perf_counter() - began:.0f} s")
            await side.caught_up()
        return [
            *await sizes(console, few, many),
            *await rebuilding(console, many),
            *await lagging(console, few),
            *await asyncio.to_thread(exporting, console, few.url, await few.pool.fetchval(_RECORDS)),
        ]
    finally:
        for side in (few, many):
            with suppress(Exception):
                await side.close()


def main() -> int:
    """Measure on a new server and print the results; the exit code says whether an aim was missed."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else MANY
    with (
        tempfile.TemporaryDirectory(prefix="liarsdice-bench-", ignore_cleanup_errors=True) as folder,
        EmbeddedPostgres(Path(folder) / "data") as server,
    ):
        missed = run_to_its_end(measure(server.url, games))
    for sentence in missed:
        sys.stdout.write(f"missed: {sentence}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
