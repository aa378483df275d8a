"""The dice of the running round as each seat saw them, with the bid that stands."""

from collections.abc import Sequence

from domain.events import BidPlaced, DiceDealt, DiceRerolled, Hand, RoundStarted
from domain.history.record import BidAction, RoundRecord, ShowAndRerollAction
from domain.rulebooks import Rules
from domain.statistics.chances import chance, reckoning_of
from domain.statistics.facts import ONE
from domain.values import Bid


class Cups:
    """What lies under the cups and beside them in one round, told by events or by a record.

    The events need their revealed secrets filled in.
    """

    def __init__(self, rules: Rules, started: RoundStarted | RoundRecord) -> None:
        self.reckoning = reckoning_of(rules.of_round(palafico=started.palafico))
        self.standing: Bid | None = None
        self.hidden: list[Hand | None] = [None] * len(started.dice_counts)
        self._counts = list(started.dice_counts)
        self._dice = sum(started.dice_counts)
        """How many dice are hidden, of all seats."""
        self._shown: dict[int, Hand] = {}
        self._matching: dict[int, dict[int, int]] = {}
        """For each seat, how many dice that it sees count towards a bid on each face. Filled on demand."""

    def deal(self, event: DiceDealt) -> None:
        """The dice fall."""
        if event.hands is not None:
            self.fall(event.hands)

    def fall(self, hands: Sequence[Hand | None]) -> None:
        """These dice fall, seat by seat."""
        self.hidden = list(hands)
        self._matching.clear()

    def place(self, event: BidPlaced | BidAction) -> Bid:
        """A bid stands."""
        self.standing = Bid(event.quantity, event.face)
        return self.standing

    def reroll(self, event: DiceRerolled | ShowAndRerollAction) -> None:
        """Some dice are shown and the others of that cup fall again."""
        seat = event.seat
        self._shown[seat] = self._shown.get(seat, ()) + event.shown
        self._dice += event.rerolled - self._counts[seat]
        self._counts[seat], self.hidden[seat] = event.rerolled, event.hand or None
        self._matching.clear()

    def supports(self, seat: int, face: int) -> bool:
        """Whether any die of a seat, hidden or shown, counts towards a bid on a face."""
        own = (self.hidden[seat] or ()) + self._shown.get(seat, ())
        return any(counting in own for counting in self.reckoning.counting[face])

    def chance_of(self, seat: int, bid: Bid) -> int:
        """The chance that a bid holds, as a seat sees it now."""
        faces = len(self.reckoning.counting[bid.face])
        return chance(bid.quantity - self._matches(seat)[bid.face], self._dice - self._counts[seat], faces)

    def best_value(self, seat: int) -> int:
        """The best chance that a seat has now to be right, with a challenge or with a bid.

        Of the legal bids on a face the lowest is the likeliest, so there is no need to look at the others.
        """
        matches, dice, standing = self._matches(seat), self._dice - self._counts[seat], self.standing
        lowest = self.reckoning.lowest(standing)
        values = [chance(quantity - matches[face], dice, faces) for quantity, face, faces in lowest]
        if standing is not None:
            values.append(ONE - self.chance_of(seat, standing))
        return max(values)

    def _matches(self, seat: int) -> dict[int, int]:
        found = self._matching.get(seat)
        if found is None:
            seen = sum(self._shown.values(), self.hidden[seat] or ())
            found = self._matching[seat] = self.reckoning.matches(seen)
        return found
