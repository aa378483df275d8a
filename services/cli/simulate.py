"""`liarsdice simulate`: bots play games, which it writes to a file or stores like any others."""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, closing, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from domain.deciding.gathering import rules_of_table
from domain.history.record import GameRecord, encode_record
from domain.history.recording import record_of
from domain.notation import write_game
from domain.rulebooks import BOOKS
from infra.failure import CommandFailed
from infra.postgres.store import EventStore
from services.app.database_address import DATABASE_VARIABLE
from services.app.environment import database_told, open_sealed_database
from services.app.run_loop import run_to_its_end
from services.bots import BOTS
from services.cli.flags.of_games import add_options, options_of
from services.cli.flags.of_stores import add_data, data_directory_of
from services.cli.flags.values import count, moment
from services.cli.output import output
from services.cli.terminal import PipedConsole, say
from services.simulation.game_storer import Calendar, GameStorer, Stored
from services.simulation.memory_table import MemoryTable
from services.simulation.simulation import Setup, default_players, game_name, play_game, setups_of_all


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "Bots play whole games in memory. The same seed gives the same games, byte for byte. With --store they are"
        f" also stored, in the database at {DATABASE_VARIABLE} or in an embedded Postgres; a game that is stored already is skipped."
    )
    books = ", ".join(book.id for book in BOOKS)
    parser.add_argument(
        "--rulebook", required=True, help=f"{books}; or all, for every rulebook with every option in turn"
    )
    parser.add_argument(
        "--players", type=int, help="how many players sit at the table (default: 4, or every number with all)"
    )
    parser.add_argument("--games", type=count, help="how many games in all (default: 1; with all, one of each kind)")
    parser.add_argument(
        "--seed", type=int, default=0, help="the number that decides all dice and all moves of bots (default: 0)"
    )
    add_options(parser, "chips=true")
    parser.add_argument(
        "--bots",
        default=",".join(BOTS),
        metavar="NAME,...",
        help=f"the bots, seat by seat (default: {','.join(BOTS)})",
    )
    parser.add_argument("--format", choices=("ndjson", "notation"), default="ndjson", help="one record a line, or text")
    parser.add_argument(
        "--out", metavar="FILE", help="the file to write (default: standard output, or none with --store)"
    )
    parser.add_argument("--store", action="store_true", help="store the games as if the server had played them")
    add_data(parser, "the embedded Postgres and the keys", "with --store: ")
    parser.add_argument(
        "--since",
        type=moment,
        metavar="DATE",
        help="with --store: when the first game began; each other game begins when the one before has ended"
        " (default: so that all have ended by now)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play the games, write or store them, and say who won how often."""
    if not arguments.store and (arguments.data or arguments.since is not None):
        raise CommandFailed("--data and --since are for games that are stored; say --store")
    setups = _setups(arguments)
    games = arguments.games or (len(setups) if arguments.rulebook == "all" else 1)
    began = time.perf_counter()
    wins: Counter[str] = Counter()
    calendar = Calendar(arguments.since, time.time_ns() // 1_000_000) if arguments.store else None
    with (
        _records_file(arguments) as out,
        closing(_played(arguments, setups, games, out, wins, calendar=calendar)) as tables,
    ):
        stored = None if calendar is None else _store(arguments, tables, calendar)
        for _ in tables:
            pass  # Without --store the games are only written to the file.
    seconds = time.perf_counter() - began
    shares = ", ".join(f"{name} {count}" for name, count in wins.most_common())
    say(f"{games} games in {seconds:.1f} s; won: {shares}", file=sys.stderr)
    if stored is not None:
        say(_stored_sentence(stored), file=sys.stderr)
    return 0


def _records_file(arguments: argparse.Namespace) -> AbstractContextManager[IO[bytes] | None]:
    """The file for the records; None if there is none."""
    if arguments.store and arguments.out is None:
        return nullcontext()
    return output("-" if arguments.out is None else arguments.out)


def _played(
    arguments: argparse.Namespace,
    setups: tuple[Setup, ...],
    games: int,
    out: IO[bytes] | None,
    wins: Counter[str],
    *,
    calendar: Calendar | None,
) -> Generator[MemoryTable, None, None]:
    """The games, each as soon as it is over, written down and counted."""
    for index in _progress(games):
        setup = setups[index % len(setups)]
        table = play_game(setup, arguments.seed, index, game_name(setup, arguments.seed, index))
        if calendar is not None:
            calendar.date(table)
        record = record_of(table.dated_events)
        if out is not None:
            out.write(_encoded(record, arguments.format))
        wins[_winner(record)] += 1
        yield table


def _store(arguments: argparse.Namespace, tables: Iterator[MemoryTable], calendar: Calendar) -> Stored:
    with database_told():
        return run_to_its_end(_stored(data_directory_of(arguments), _with_write_errors(tables), calendar))


async def _stored(directory: Path, tables: Iterator[MemoryTable], calendar: Calendar) -> Stored:
    async with open_sealed_database(directory) as (url, keys):
        store = await EventStore.open(url)
        try:
            return await GameStorer(store, keys, calendar).store(tables)
        finally:
            await store.close()


def _with_write_errors(tables: Iterator[MemoryTable]) -> Iterator[MemoryTable]:
    """The games; a record that can't be written fails here, so that nobody blames the database for it."""
    try:
        yield from tables
    except OSError as error:
        raise CommandFailed(f"can't write the records: {error.strerror or error}") from None


def _stored_sentence(stored: Stored) -> str:
    known = f"; {stored.known} were stored before" if stored.known else ""
    if not stored.games:
        return f"stored: nothing{known}"
    began, ended = (datetime.fromtimestamp(at / 1_000, UTC) for at in (stored.began_at, stored.ended_at))
    span = f"from {began:%Y-%m-%d %H:%M} to {ended:%Y-%m-%d %H:%M} UTC"
    return f"stored: {stored.games} games with {stored.events} events, {span}{known}"


def _setups(arguments: argparse.Namespace) -> tuple[Setup, ...]:
    bots = tuple(name.strip() for name in arguments.bots.split(","))
    for name in bots:
        if name not in BOTS:
            raise CommandFailed(f"there is no bot {name!r}; the bots are {', '.join(BOTS)}")
    if arguments.rulebook == "all":
        if arguments.option:
            raise CommandFailed("--rulebook all plays every option already; name one rulebook to use --option")
        setups = setups_of_all(arguments.players, bots)
        if not setups:
            raise CommandFailed(f"no rulebook seats {arguments.players} players")
    else:
        players = default_players(arguments.rulebook) if arguments.players is None else arguments.players
        setups = (Setup(arguments.rulebook, options_of(arguments.option), players, bots),)
    for setup in setups:
        rules_of_table(setup.rulebook, setup.options, setup.players)
    return setups


def _progress(games: int) -> Iterator[int]:
    """The game numbers, with a bar where a person is watching."""
    console = PipedConsole(stderr=True)
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield from progress.track(range(games))


def _encoded(record: GameRecord, form: str) -> bytes:
    return write_game(record).encode() + b"\n" if form == "notation" else encode_record(record) + b"\n"


def _winner(record: GameRecord) -> str:
    return "nobody" if record.winner is None else record.seats[record.winner].name.split()[0]
