"""`python -m tests.benchmarks.sums`: whether answers of statistics cost the same with few games and with many.

Two stores: one with three thousand games, one with a hundred thousand. Real games fill the rows of the read model once. SQL
then copies these rows with other ids, players and times, and adds the copies to the sums with the same statements as the
projector. So the tables have the size of so many games, but games repeat, and their events are not stored.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
from rich.console import Console
from rich.table import Table

from domain.statistics.answers import Span
from infra.embedded.postgres import EmbeddedPostgres
from infra.postgres.connections import open_pool
from infra.postgres.generations import Generation
from infra.postgres.queries import query
from services.access.caller import NOBODY
from services.access.sight import Sight
from services.app.environment import migrate_database
from services.app.run_loop import run_to_its_end
from services.archive.people import People
from services.archive.statistics import Statistics
from services.archive.sums import adding_queries
from services.projector.models import PROJECTIONS
from services.projector.projector import Projector
from services.simulation.simulation import setups_of_all
from tests.benchmarks.reading import fill, renamed, templates
from tests.benchmarks.store import another_database

FEW, MANY = 3_000, 100_000
PLAYED = 100
"""So many games are really played."""
REPEATS = 40
GROWTH_MAX = 1.5
DAYS = 300
"""The games of a store spread over so many days, however many they are."""
PLAYERS_SHARE = 5
"""A new player comes with every fifth game; two regulars and the bots sit at all others."""
_SCHEMA = Generation("statistics", 2, 1).schema
_TABLES = ("seats", "decisions", "courses")
_COPY_AT_ONCE = 1_000
_DAY = 86_400_000

Read = Callable[[], Awaitable[Any]]


async def _columns(pool: "asyncpg.Pool[Any]", table: str) -> list[str]:
    rows = await pool.fetch(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2"
        " AND is_generated = 'NEVER' ORDER BY ordinal_position",
        _SCHEMA,
        table,
    )
    return [row["column_name"] for row in rows]


async def copy_games(pool: "asyncpg.Pool[Any]", first: int, count: int, now: int) -> None:
    """Copy the rows of the played games so often that there are `count` more games, and add these to the sums."""
    changed = {
        "game_id": "'copy-' || copies.number",
        "ended_at": f"{now} - (copies.number % {DAYS} + 1)::bigint * {_DAY} - copies.number % {_DAY}",
        "shown_at": f"{now} - (copies.number % {DAYS} + 1)::bigint * {_DAY} - copies.number % {_DAY}",
        "player_id": "CASE rows.seat WHEN 0 THEN 'player-' || copies.number / "
        + str(PLAYERS_SHARE)
        + " WHEN 1 THEN 'regular-' || copies.number % 2 ELSE rows.player_id END",
        "name": "CASE rows.seat WHEN 0 THEN 'Player ' || copies.number / "
        + str(PLAYERS_SHARE)
        + " WHEN 1 THEN 'Regular ' || copies.number % 2 ELSE rows.name END",
        "kind": "CASE WHEN rows.seat < 2 THEN 'human' ELSE rows.kind END",
    }
    await pool.execute(
        f"CREATE TEMP TABLE copies AS SELECT number, game_id FROM generate_series({first}, {first + count - 1}) AS number"  # noqa: S608 - names of ours
        f" JOIN (SELECT game_id, row_number() OVER (ORDER BY game_id) - 1 AS place FROM {_SCHEMA}.courses"
        f" WHERE game_id LIKE 'template%') AS played ON played.place = number % {PLAYED}"
    )
    for table in _TABLES:
        columns = await _columns(pool, table)
        values = ", ".join(changed.get(name, f"rows.{name}") for name in columns)
        await pool.execute(
            f"INSERT INTO {_SCHEMA}.{table} ({', '.join(columns)}) SELECT {values}"  # noqa: S608 - names of ours
            f" FROM copies JOIN {_SCHEMA}.{table} AS rows ON rows.game_id = copies.game_id"
        )
    await pool.execute("DROP TABLE copies")
    game_ids = [f"copy-{number}" for number in range(first, first + count)]
    for adding in adding_queries(_SCHEMA):
        await pool.execute(adding, game_ids)


async def filled(url: str, games: int, now: int) -> "asyncpg.Pool[Any]":
    """A store whose read model of statistics has so many games, as readers read it."""
    await migrate_database(url, 1)
    owner = await asyncpg.create_pool(url, min_size=1, max_size=1)
    projecting = await open_pool(url, "liarsdice_projector", derived=True)
    setups = [setup for setup in setups_of_all() if 3 <= setup.players <= 5]
    await fill(url, [renamed(game) for game in templates(setups[:: len(setups) // PLAYED], PLAYED)])
    await Projector(projecting, PROJECTIONS, 1).catch_up(0)
    await projecting.close()
    for first in range(0, games - PLAYED, _COPY_AT_ONCE):
        await copy_games(owner, first, min(_COPY_AT_ONCE, games - PLAYED - first), now)
    await owner.execute("VACUUM ANALYZE")
    await owner.close()
    return await open_pool(url, "liarsdice_reader", size_max=1)


def reads_of(pool: "asyncpg.Pool[Any]", now: int) -> dict[str, Read]:
    """Everything that must not grow with the number of games."""
    numbers, people, sight = Statistics(pool), People(pool), Sight(NOBODY, now)
    span = Span(since=now - 30 * _DAY, until=now - _DAY)
    return {
        "a regular player": lambda: numbers.player("regular-1", sight),
        "a player with few games": lambda: numbers.player("player-7", sight),
        "a month of a player": lambda: numbers.player("player-7", sight, span),
        "by dice left": lambda: numbers.groups("regular-1", "dice_left", sight),
        "by chance of the standing bid": lambda: numbers.groups("regular-1", "standing_chance", sight),
        "by week": lambda: numbers.groups("regular-1", "week", sight),
        "game by game": lambda: numbers.groups("regular-1", "game", sight),
        "head to head": lambda: numbers.head_to_head("regular-0", "player-7", sight),
        "a matrix of five": lambda: numbers.matrix([f"player-{one}" for one in range(5)], sight),
        "leaderboard by wins": lambda: numbers.leaderboard(sight, measure="wins"),
        "leaderboard by decisions, people": lambda: numbers.leaderboard(sight, measure="decisions", kind="human"),
        "leaderboard by decisions, bots": lambda: numbers.leaderboard(sight, measure="decisions", kind="bot"),
        "leaderboard by rating": lambda: numbers.leaderboard(sight),
        "games by book": lambda: numbers.games("rulebook", sight),
        "search for a name": lambda: people.named("player 1", sight, 20),
        "one player": lambda: people.find("regular-1", sight),
    }


async def _medians(*reads: Read) -> list[float]:
    """The median times of some reads that take turns."""
    times: list[list[float]] = [[] for _ in reads]
    for _ in range(REPEATS):
        for read, of_read in zip(reads, times, strict=True):
            began = time.perf_counter()
            await read()
            of_read.append(time.perf_counter() - began)
    return [statistics.median(of_read) for of_read in times]


async def measure(url: str, many: int) -> list[str]:
    """Fill both stores, measure each read on both in turns, print the ratios, and return those that missed their aim."""
    console, now = Console(highlight=False, width=110), time.time_ns() // 1_000_000
    pools = []
    for where, games in ((url, FEW), (await another_database(url), many)):
        began = time.perf_counter()
        pools.append(await filled(where, games, now))
        console.print(f"{games:,} games made within {time.perf_counter() - began:.0f} s")
    table, missed = Table("answer", f"{FEW:,} games", f"{many:,} games", "ratio"), []
    try:
        for name, read in reads_of(pools[0], now).items():
            other = reads_of(pools[1], now)[name]
            few, more = await _medians(read, other)
            table.add_row(name, f"{few * 1e3:.2f} ms", f"{more * 1e3:.2f} ms", f"{more / few:.2f}")
            if more / few > GROWTH_MAX:
                missed.append(f"{name} takes {more / few:.2f} times as long")
        console.print(table)
        assert not await pools[0].fetchval(query("has_waiting_games", schema=_SCHEMA))
    finally:
        for pool in pools:
            await pool.close()
    return missed


def main() -> int:
    """Measure on a new server; the exit code says whether an aim was missed."""
    many = int(sys.argv[1]) if len(sys.argv) > 1 else MANY
    with (
        tempfile.TemporaryDirectory(prefix="liarsdice-bench-", ignore_cleanup_errors=True) as folder,
        EmbeddedPostgres(Path(folder) / "data") as server,
    ):
        missed = run_to_its_end(measure(server.url, many))
    for sentence in missed:
        sys.stdout.write(f"missed: {sentence}\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
