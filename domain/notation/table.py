"""What the reader knows from the lines so far: the table, and the dice of the current round."""

from msgspec import UNSET, UnsetType

from domain.events import ForfeitReason, Hand
from domain.history.record import ForfeitRecord
from domain.notation.lines import Unexpected, Words
from domain.notation.moments import take_stamp
from domain.notation.words import read_number
from domain.rulebooks import Rules
from domain.state import Loss

Stamp = tuple[int | UnsetType, int | UnsetType]
"""The time and the version of an action."""
NO_STAMP: Stamp = (UNSET, UNSET)


class Table:
    """How many dice each seat still has; later lines must agree with it."""

    def __init__(self, rules: Rules, seats: int, created_at: int | UnsetType = UNSET) -> None:
        self.rules, self._created_at = rules, created_at
        self.dice_counts = [rules.options.dice_each] * seats
        self.round = 0
        self.forfeits: list[ForfeitRecord] = []
        self.out: list[tuple[int, ...]] = []
        """The seats that are out, in the order they went; those who went together share a tuple."""

    @property
    def in_play(self) -> tuple[int, ...]:
        """The seats that have dice."""
        return tuple(seat for seat, count in enumerate(self.dice_counts) if count)

    @property
    def winner(self) -> int | None:
        """The only seat with dice, if the others went out."""
        return self.in_play[0] if self.out and len(self.in_play) == 1 else None

    def seat(self, word: str) -> int:
        """A seat of this table that still has dice."""
        seat = read_number(word, "a seat", high=len(self.dice_counts) - 1)
        if not self.dice_counts[seat]:
            raise Unexpected("a seat that still has dice", word)
        return seat

    def stamp(self, words: Words) -> tuple[Words, Stamp]:
        """The words of an action without its stamp, and its time and version, where the text has them."""
        if isinstance(self._created_at, UnsetType):
            return words, NO_STAMP
        words, found = take_stamp(words)
        return words, NO_STAMP if found is None else (self._created_at + found[0], found[1])

    def forfeit(self, seat: int, reason: ForfeitReason, stamp: Stamp) -> None:
        """R10: a player who forfeits loses all dice."""
        self.forfeits.append(ForfeitRecord(seat, self.round, reason, *stamp))
        self.dice_counts[seat] = 0
        self.out.append((seat,))

    def lose(self, losses: tuple[Loss, ...]) -> tuple[int, ...]:
        """Take the lost dice away, and return the seats that are out by it."""
        for loss in losses:
            self.dice_counts[loss.seat] -= loss.lost
        gone = tuple(loss.seat for loss in losses if not self.dice_counts[loss.seat])
        if gone:
            self.out.append(gone)
        return gone


class Cups:
    """The dice of a round: as they fell, those shown since, and those that lie under the cups."""

    def __init__(self, dice_counts: tuple[int, ...]) -> None:
        self.dice_counts = dice_counts
        self.rolled: dict[int, Hand] = {}
        self.shown: list[Hand] = [()] * len(dice_counts)
        self.hidden: list[Hand] = [()] * len(dice_counts)

    @property
    def fallen(self) -> bool:
        """Whether all have rolled, so that there are dice."""
        return len(self.rolled) == len(self.dice_counts) - self.dice_counts.count(0)

    @property
    def dealt(self) -> tuple[Hand, ...]:
        """The dice of each seat as they first fell."""
        return tuple(self.rolled.get(seat, ()) for seat in range(len(self.dice_counts)))

    @property
    def dice(self) -> tuple[Hand, ...]:
        """All dice of each seat, the shown ones first."""
        return tuple(shown + hidden for shown, hidden in zip(self.shown, self.hidden, strict=True))

    def roll(self, seat: int, hand: Hand) -> None:
        """Note a seat's roll; the hand is empty if the dice never fell."""
        if seat in self.rolled:
            raise Unexpected("a seat that has not rolled yet", str(seat))
        self.rolled[seat] = self.hidden[seat] = hand

    def check_whole(self) -> None:
        """Check that there are dice if all have rolled, and only then."""
        fallen = self.fallen
        for seat, hand in self.rolled.items():
            if fallen and not hand:
                raise Unexpected(f"dice for seat {seat}, as all have rolled", "none")
            if hand and not fallen:
                raise Unexpected(f"no dice for seat {seat}, as not all have rolled", _spaced(hand))

    def check_fallen(self) -> None:
        """Check that the dice have fallen, which a bid needs."""
        if not self.fallen:
            raise Unexpected("the rolls of all seats first", "a bid")
        self.check_whole()

    def show(self, seat: int, shown: Hand, rerolled: Hand) -> None:
        """Move the shown dice of a seat out of its cup, and replace its other dice."""
        hidden = self.hidden[seat]
        if not shown or any(shown.count(face) > hidden.count(face) for face in shown):
            raise Unexpected(f"some of the hidden dice {_spaced(hidden)}", _spaced(shown))
        if not rerolled or len(shown) + len(rerolled) != len(hidden):
            raise Unexpected(f"{len(hidden) - len(shown)} rerolled dice", f"{len(rerolled)}")
        self.shown[seat] += shown
        self.hidden[seat] = rerolled


def _spaced(dice: Hand) -> str:
    return " ".join(str(face) for face in dice) or "none"
