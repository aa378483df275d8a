"""`liarsdice demo`: bots play a game; it tells what happens, and checks all dice at the end."""

import argparse
import time
from random import Random

from rich.console import Console

from domain.commands import StartGame
from domain.events import AnyEvent
from domain.fairness.verification import verify
from domain.options import Options
from domain.rulebooks import BOOKS
from domain.state import Ended
from domain.views import seen_by
from services.bots import BOTS
from services.cli.flags.values import seconds
from services.cli.teller import Teller
from services.cli.terminal import PipedConsole
from services.simulation.memory_table import MemoryTable
from services.simulation.simulation import default_players, party_seed, play_move

NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn")
_PAUSE_SECONDS = 0.6


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = "Bots play one game while you watch."
    books = [book.id for book in BOOKS]
    parser.add_argument("--rulebook", choices=books, default=books[0], help="the rulebook (default: %(default)s)")
    parser.add_argument(
        "--seed", type=int, default=None, help="play the same game again (default: a new one each time)"
    )
    parser.add_argument(
        "--pause", type=seconds, default=None, metavar="SECONDS", help="how long to wait after each move"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play one game, and tell what happens."""
    console = PipedConsole()
    seed = time.time_ns() % 1_000_000 if arguments.seed is None else arguments.seed
    players = default_players(arguments.rulebook)
    table = MemoryTable(
        f"demo-{seed}",
        arguments.rulebook,
        Options(),
        tuple(party_seed(seed, 0, party) for party in range(players + 1)),
    )
    bots = [list(BOTS)[seat % len(BOTS)] for seat in range(players)]
    for seat, bot in enumerate(bots):
        table.seat_bot(seat, f"bot-{seat}", f"{NAMES[seat]} ({bot})")
    cast = ", ".join(f"{NAMES[seat]} is {bot}" for seat, bot in enumerate(bots))
    console.print(f"Playing by {arguments.rulebook}: {cast}.")
    pause = (_PAUSE_SECONDS if console.is_terminal else 0) if arguments.pause is None else arguments.pause
    _play(table, bots, Random(seed), Narrator(console, table, pause))  # noqa: S311 - bots need variety, not secrecy
    console.print()
    console.print(f"The same game again: liarsdice demo --rulebook {arguments.rulebook} --seed {seed}", style="dim")
    return 0


def _play(table: MemoryTable, bots: list[str], chance: Random, narrator: "Narrator") -> None:
    narrator.tell(table.submit(StartGame()))
    while not isinstance(table.state, Ended):
        narrator.tell(play_move(table, bots, chance))
    narrator.prove()


class Narrator:
    """Tells events to a person at a terminal."""

    def __init__(self, console: Console, table: MemoryTable, pause_seconds: float) -> None:
        self.console = console
        self.table = table
        self.pause_seconds = pause_seconds
        self._teller = Teller(console, table.view(None).wild_name, NAMES)

    def tell(self, events: "list[AnyEvent] | tuple[AnyEvent, ...]") -> None:
        """Print the events that are worth a line."""
        for event in events:
            lines = self._teller.lines(event)
            if lines:
                self.console.print(*lines, sep="\n")
                time.sleep(self.pause_seconds)

    def prove(self) -> None:
        """Check every die of the game from what is public now, as any player could."""
        found = verify(seen_by(event, None) for event in self.table.events)
        assert found.holds, found.failures
        self.console.print(
            f"All {found.dice} dice of {found.deals} deals check out: they follow from {found.links + found.server_links} "
            "links of chains that were committed to before the game.",
            style="green",
        )
