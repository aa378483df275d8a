"""The teller of a game: events in words and pictures, for a person at a terminal."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from domain.events import (
    AntesPaid,
    AnyEvent,
    BidChallenged,
    BidPlaced,
    ChallengeResolved,
    CupsLifted,
    DiceLost,
    DiceRerolled,
    GameAbandoned,
    GameEnded,
    GameStarted,
    Hand,
    OpenerChosen,
    OpeningDiceRolled,
    PlayerForfeited,
    PlayerJoined,
    PlayersEliminated,
    PotWon,
    RoundStarted,
    TurnTimedOut,
)
from domain.naming import alike_among, has_bots_word
from domain.values import PlacedBid
from domain.views import SeatView
from services.cli.columns import padded
from services.cli.dice_art import dice_picture, face_name

_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red")
_DIE_WIDTH = 10
_PICTURES_WIDTH_MIN = 60
_FORFEITS = {"resigned": "gives up", "time": "is out of time"}


def names_of(seats: Sequence[SeatView]) -> tuple[str, ...]:
    """The names of some seats, told apart: with the id where another name looks alike, and marked if a bot's name does not say so.

    New tables have no such names, but older games may.
    """
    return tuple(_told_apart(seat, [other.name for other in seats if other is not seat]) for seat in seats)


def _told_apart(seat: SeatView, others: Sequence[str]) -> str:
    of_bot = " (bot)" if seat.kind == "bot" and not has_bots_word(seat.name) else ""
    of_id = f" ({seat.player_id})" if alike_among(seat.name, others) is not None else ""
    return f"{seat.name}{of_bot}{of_id}"


class Teller:
    """Puts events into words and pictures. Each text that it returns is one line."""

    def __init__(self, console: Console, wild_name: str, names: Sequence[str]) -> None:
        """The names are those of the seats; set `names` again when players come and go."""
        self._console, self._wild_name, self.names = console, wild_name, tuple(names)

    def lines(self, event: AnyEvent) -> list[Text]:
        """The lines for an event, with a gap or a picture if it has one; none for an event that needs none."""
        if isinstance(event, CupsLifted):
            return [line for seat, hand in enumerate(event.dice) if hand for line in self.cup(seat, hand)]
        line = self.line(event)
        gap = [Text()] if isinstance(event, RoundStarted | GameEnded | GameAbandoned) else []
        return [] if line is None else [*gap, line]

    def line(self, event: AnyEvent) -> Text | None:
        """The one line for an event; None for an event that needs none, or is a picture."""
        match event:
            case PlayerJoined(name=name):
                return Text(f"{name} sits down.")
            case GameStarted(dice_each=dice):
                return Text(f"The game begins, with {_dice(dice)} each.")
            case OpeningDiceRolled(rolls=rolls) if rolls:
                rolled = (f"{self.names[roll.seat]} {self.faces(roll.dice)}" for roll in rolls)
                return Text("Rolling for the opener: " + ", ".join(rolled))
            case OpenerChosen(seat=seat):
                return Text.assemble(self.name(seat), " opens the first round.")
            case RoundStarted():
                return self._round(event)
            case AntesPaid(antes=antes):
                chips = sum(ante.round_pot + ante.game_pot for ante in antes)
                return Text(f"  Everyone pays into the pots: {chips} chips.")
            case _:
                return self._bidding(event)

    def _bidding(self, event: AnyEvent) -> Text | None:
        match event:
            case BidPlaced(seat=seat, quantity=quantity, face=face):
                return Text.assemble("  ", self.name(seat), f" bids {self.bid(quantity, face)}")
            case DiceRerolled(seat=seat, shown=shown, rerolled=rerolled):
                return Text.assemble("  ", self.name(seat), f" shows {self.faces(shown)} and rerolls {rerolled}")
            case BidChallenged(seat=seat):
                return Text.assemble("  ", self.name(seat), " doubts it, and the cups are lifted:")
            case TurnTimedOut(seat=seat):
                return Text.assemble("  ", self.name(seat), " did not move in time.")
            case PlayerForfeited(seat=seat, reason=reason):
                return Text.assemble("  ", self.name(seat), f" {_FORFEITS[reason]} and is out.")
            case _:
                return self._outcome(event)

    def _outcome(self, event: AnyEvent) -> Text | None:
        match event:
            case ChallengeResolved(bid=bid, actual=actual, winner=winner):
                count = f"  Bid {self.bid(bid.quantity, bid.face)}, there: {actual}. "
                return Text.assemble(count, self.name(winner), " wins the challenge.")
            case DiceLost(seat=seat, lost=lost):
                return Text.assemble("  ", self.name(seat), f" loses {_dice(lost)}.")
            case PlayersEliminated(seats=seats):
                names = ", ".join(self.names[seat] for seat in seats)
                return Text(f"  Out of the game: {names}.", style="bold red")
            case PotWon(seat=seat, pot=pot, chips=chips):
                return Text.assemble("  ", self.name(seat), f" takes the pot of the {pot}: {chips} chips.")
            case GameEnded(winner=winner):
                return Text.assemble(self.name(winner), (" wins the game!", "bold"))
            case GameAbandoned(reason=reason):
                return Text(f"The game was ended without a winner: {reason}", style="bold")
            case _:
                return None

    def _round(self, event: RoundStarted) -> Text:
        dice = "  ".join(f"{self.names[seat]} {count}" for seat, count in enumerate(event.dice_counts) if count)
        kind = ", a Palafico round" if event.palafico else ""
        return Text.assemble((f"Round {event.number}{kind}", "bold"), f"   dice: {dice}")

    def cup(self, seat: int, hand: Hand) -> list[Text]:
        """The dice of a seat with its name beside them."""
        lines = self.picture(hand).splitlines()
        width = max(6, *(cell_len(name) + 1 for name in self.names))
        labels = [self.names[seat] if number == len(lines) // 2 else "" for number in range(len(lines))]
        rows = (f"  {padded(label, width)}{line}" for label, line in zip(labels, lines, strict=True))
        return [Text(row, style=_colour(seat)) for row in rows]

    def picture(self, hand: Hand) -> str:
        """Dice as pictures, or as plain numbers if there is no room or no way to draw."""
        if self._console.width < max(
            _PICTURES_WIDTH_MIN, _DIE_WIDTH * (len(hand) + 1)
        ) or not self._console.encoding.startswith("utf"):
            return " ".join(f"[{face}]" for face in hand)
        return dice_picture(hand, self._wild_name)

    def seat(self, seat: SeatView, remark: str = "") -> Text:
        """A seat with what everybody sees of it, and a remark."""
        chips = "" if seat.chips is None else f", {seat.chips} chips"
        shown = f", shows {self.faces(seat.shown)}" if seat.shown else ""
        state = "out" if seat.out else f"{seat.dice_count} dice{chips}{shown}"
        return Text.assemble("  ", self.name(seat.seat), f": {state}{remark}")

    def bids(self, bids: Sequence[PlacedBid]) -> Text:
        """The bids of a round so far."""
        made = (f"{self.names[bid.seat]} {self.bid(bid.quantity, bid.face)}" for bid in bids)
        return Text("  Bids so far: " + ", ".join(made))

    def name(self, seat: int) -> tuple[str, str]:
        """The name of a seat in its colour."""
        return (self.names[seat], f"bold {_colour(seat)}")

    def bid(self, quantity: int, face: int) -> str:
        """A bid in words."""
        return f"{quantity} x {face_name(face, self._wild_name)}"

    def faces(self, hand: Hand) -> str:
        """Dice in words."""
        return " ".join(face_name(face, self._wild_name) for face in hand)


def _colour(seat: int) -> str:
    return _COLOURS[seat % len(_COLOURS)]


def _dice(count: int) -> str:
    return f"{count} {'die' if count == 1 else 'dice'}"
