"""`liarsdice simulate`: bots play, and the games are written down."""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from domain.deciding.gathering import rules_of_table
from domain.notation import write_game
from domain.record import GameRecord, encode_record
from domain.recording import record_of
from domain.rulebooks import BOOKS
from services.bots import BOTS
from services.failure import CommandFailed
from services.output import output
from services.simulation import Setup, default_players, play_game, setups_of_all
from services.subcommands import Subcommands, count, options_of


def add_to(subcommands: Subcommands) -> None:
    """Add the subcommand and its flags."""
    parser = subcommands.add_parser(
        "simulate",
        help="let bots play and write the games down",
        description="Bots play whole games in memory. The same seed gives the same games, byte for byte.",
    )
    books = ", ".join(book.id for book in BOOKS)
    parser.add_argument("--rulebook", required=True, help=f"{books}; or all: every book with every option, in turn")
    parser.add_argument("--players", type=int, help="how many sit at the table (default: 4, or every size with all)")
    parser.add_argument("--games", type=count, help="how many games in all (default: 1; with all, one of each kind)")
    parser.add_argument("--seed", type=int, default=0, help="what the dice and the bots follow from (default: 0)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the book, e.g. chips=true"
    )
    parser.add_argument(
        "--bots",
        default=",".join(BOTS),
        metavar="NAME,...",
        help=f"who plays, seat by seat (default: {','.join(BOTS)})",
    )
    parser.add_argument("--format", choices=("ndjson", "notation"), default="ndjson", help="one record a line, or text")
    parser.add_argument("--out", default="-", metavar="FILE", help="where to write (default: standard output)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play the games, write them, and say who won how often."""
    setups = _setups(arguments)
    games = arguments.games or (len(setups) if arguments.rulebook == "all" else 1)
    began = time.perf_counter()
    wins: Counter[str] = Counter()
    with output(arguments.out) as out:
        for index in _progress(games):
            record = record_of(play_game(setups[index % len(setups)], arguments.seed, index).events)
            out.write(_written(record, arguments.format))
            wins[_winner(record)] += 1
    seconds = time.perf_counter() - began
    shares = ", ".join(f"{name} {count}" for name, count in wins.most_common())
    print(f"{games} games in {seconds:.1f} s; won: {shares}", file=sys.stderr)
    return 0


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
    console = Console(stderr=True)
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield from progress.track(range(games))


def _written(record: GameRecord, form: str) -> bytes:
    return write_game(record).encode() + b"\n" if form == "notation" else encode_record(record) + b"\n"


def _winner(record: GameRecord) -> str:
    return "nobody" if record.winner is None else record.seats[record.winner].name.split()[0]
