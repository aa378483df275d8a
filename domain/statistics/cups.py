"""The dice of the running round as each seat saw them, with the bid that stands."""

from domain.events import BidPlaced, DiceDealt, DiceRerolled, Hand, RoundStarted
from domain.rulebooks import Rules
from domain.statistics.chances import chance, reckoning_of
from domain.statistics.facts import ONE
from domain.values import Bid


class Cups:
    """What lies under the cups and beside them in one round; events must have what the reveals told filled in."""

    def __init__(self, rules: Rules, started: RoundStarted) -> None:
        self.reckoning = reckoning_of(rules.of_round(palafico=started.palafico))
        self.standing: Bid | None = None
        self.hidden: list[Hand | None] = [None] * len(started.dice_counts)
        self._counts = list(started.dice_counts)
        self._dice = sum(started.dice_counts)
        """How many dice are hidden, of all seats."""
        self._shown: dict[int, Hand] = {}

    def deal(self, event: DiceDealt) -> None:
        """The dice fall."""
        if event.hands is not None:
            self.hidden = list(event.hands)

    def place(self, event: BidPlaced) -> Bid:
        """A bid stands."""
        self.standing = Bid(event.quantity, event.face)
        return self.standing

    def reroll(self, event: DiceRerolled) -> None:
        """Some dice are shown and the others of that cup fall again."""
        seat = event.seat
        self._shown[seat] = self._shown.get(seat, ()) + event.shown
        self._dice += event.rerolled - self._counts[seat]
        self._counts[seat], self.hidden[seat] = event.rerolled, event.hand

    def supports(self, seat: int, face: int) -> bool:
        """Whether any die of a seat, hidden or shown, counts towards a bid on a face."""
        own = (self.hidden[seat] or ()) + self._shown.get(seat, ())
        return any(counting in own for counting in self.reckoning.counting[face])

    def chance_of(self, seat: int, bid: Bid) -> int:
        """The chance that a bid holds, as a seat sees it now."""
        faces = self.reckoning.counting[bid.face]
        matching = sum(map(self._in_sight(seat).count, faces))
        return chance(bid.quantity - matching, self._dice - self._counts[seat], len(faces))

    def best_value(self, seat: int) -> int:
        """The best chance that a seat has now to be right, with a challenge or with a bid.

        Of the legal bids on a face the lowest is the likeliest, so no other one has to be looked at.
        """
        count, dice = self._in_sight(seat).count, self._dice - self._counts[seat]
        best = 0 if self.standing is None else ONE - self.chance_of(seat, self.standing)
        for quantity, faces in self.reckoning.lowest(self.standing):
            value = chance(quantity - sum(map(count, faces)), dice, len(faces))
            best = max(best, value)
        return best

    def _in_sight(self, seat: int) -> Hand:
        hidden = self.hidden[seat] or ()
        return hidden + sum(self._shown.values(), ()) if self._shown else hidden
