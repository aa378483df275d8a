"""`liarsdice demo`: a game between bots, told as it happens, and checked at the end."""

import argparse
import time
from random import Random

from rich.console import Console
from rich.text import Text

from domain.commands import StartGame
from domain.events import (
    AnyEvent,
    BidChallenged,
    BidPlaced,
    ChallengeResolved,
    CupsLifted,
    DiceLost,
    DiceRerolled,
    GameEnded,
    Hand,
    OpenerChosen,
    OpeningDiceRolled,
    PlayersEliminated,
    RoundStarted,
)
from domain.fairness.verification import verify
from domain.options import Options
from domain.rulebooks import BOOKS, latest
from domain.rulebooks.rulebook import Rulebook
from domain.state import Ended
from domain.views import seen_by
from services.bots import BOTS
from services.pictures import dice_picture, face_name
from services.simulation import default_players, party_seed, play_move
from services.subcommands import Subcommands, seconds
from services.table import MemoryTable

NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn")
_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red")
_PAUSE_SECONDS = 0.6
_PICTURES_WIDTH_MIN = 60


def add_to(subcommands: Subcommands) -> None:
    """Add the subcommand and its flags."""
    parser = subcommands.add_parser("demo", help="watch bots play a game", description="Bots play one game, told live.")
    books = [book.id for book in BOOKS]
    parser.add_argument(
        "--rulebook", choices=books, default=books[0], help="the book to play by (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=None, help="play the same game again (default: a new one each time)"
    )
    parser.add_argument(
        "--pause", type=seconds, default=None, metavar="SECONDS", help="how long to wait after each move"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play one game and tell it."""
    console = PipedConsole(highlight=False)
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
    console.print(f"\nThe same game again: liarsdice demo --rulebook {arguments.rulebook} --seed {seed}", style="dim")
    return 0


def _play(table: MemoryTable, bots: list[str], chance: Random, narrator: "Narrator") -> None:
    narrator.tell(table.events)
    narrator.tell(table.submit(StartGame()))
    while not isinstance(table.state, Ended):
        narrator.tell(play_move(table, bots, chance))
    narrator.prove()


class PipedConsole(Console):
    """A console whose reader may go away: what that means is decided in one place, for all subcommands."""

    def on_broken_pipe(self) -> None:
        """Let the command line deal with it."""
        raise BrokenPipeError


class Narrator:
    """Tells events to a person in front of a terminal."""

    def __init__(self, console: Console, table: MemoryTable, pause_seconds: float) -> None:
        self.console = console
        self.table = table
        self.pause_seconds = pause_seconds
        book = latest(table.view(None).rulebook)
        assert book is not None, "the table was set up with it"
        self.book: Rulebook = book

    def tell(self, events: "list[AnyEvent] | tuple[AnyEvent, ...]") -> None:
        """Tell what is worth telling of some events."""
        for event in events:
            line = self._line(event)
            if line is not None:
                self.console.print(line)
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

    def _line(self, event: AnyEvent) -> Text | str | None:
        match event:
            case OpeningDiceRolled(rolls=rolls) if rolls:
                rolled = (f"{NAMES[roll.seat]} {self._faces(roll.dice)}" for roll in rolls)
                return "Rolling for the opener: " + ", ".join(rolled)
            case OpenerChosen(seat=seat):
                return Text.assemble(self._name(seat), " opens the first round.")
            case RoundStarted():
                return self._round(event)
            case BidPlaced(seat=seat, quantity=quantity, face=face):
                return Text.assemble("  ", self._name(seat), f" bids {self._bid(quantity, face)}")
            case DiceRerolled(seat=seat, shown=shown, rerolled=rerolled):
                return Text.assemble("  ", self._name(seat), f" shows {self._faces(shown)} and rerolls {rerolled}")
            case BidChallenged(seat=seat):
                return Text.assemble("  ", self._name(seat), " doubts it, and the cups are lifted:")
            case CupsLifted():
                return self._cups(event)
            case _:
                return self._outcome(event)

    def _outcome(self, event: AnyEvent) -> Text | None:
        match event:
            case ChallengeResolved(bid=bid, actual=actual, winner=winner):
                count = f"  Bid {self._bid(bid.quantity, bid.face)}, there: {actual}. "
                return Text.assemble(count, self._name(winner), " wins the challenge.")
            case DiceLost(seat=seat, lost=lost):
                return Text.assemble("  ", self._name(seat), f" loses {lost} {'die' if lost == 1 else 'dice'}.")
            case PlayersEliminated(seats=seats):
                names = ", ".join(NAMES[seat] for seat in seats)
                return Text(f"  Out of the game: {names}.", style="bold red")
            case GameEnded(winner=winner):
                return Text.assemble("\n", self._name(winner), (" wins the game!", "bold"))
            case _:
                return None

    def _round(self, event: RoundStarted) -> Text:
        dice = "  ".join(f"{NAMES[seat]} {count}" for seat, count in enumerate(event.dice_counts) if count)
        kind = ", a Palafico round" if event.palafico else ""
        return Text.assemble((f"\nRound {event.number}{kind}", "bold"), f"   dice: {dice}")

    def _cups(self, event: CupsLifted) -> Text:
        text = Text()
        for seat, hand in enumerate(event.dice):
            if hand:
                lines = self._picture(hand).splitlines()
                for number, line in enumerate(lines):
                    label = NAMES[seat] if number == len(lines) // 2 else ""
                    text.append(f"  {label:6}{line}\n", style=_COLOURS[seat])
        text.rstrip()
        return text

    def _picture(self, hand: Hand) -> str:
        """Dice as pictures, or as plain letters where there is no room or no way to draw."""
        if self.console.width < _PICTURES_WIDTH_MIN or not self.console.encoding.startswith("utf"):
            return " ".join(f"[{face}]" for face in hand)
        return dice_picture(hand, self.book.wild_name)

    def _name(self, seat: int) -> tuple[str, str]:
        return (NAMES[seat], f"bold {_COLOURS[seat]}")

    def _bid(self, quantity: int, face: int) -> str:
        return f"{quantity} x {face_name(face, self.book.wild_name)}"

    def _faces(self, hand: tuple[int, ...]) -> str:
        return " ".join(face_name(face, self.book.wild_name) for face in hand)
