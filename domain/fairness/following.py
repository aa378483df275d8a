"""What a reader must keep track of to check the dice of a game: chains, deals that are still secret, and the cups."""

from collections import Counter

from domain.events import DiceDealt, DiceRerolled, Hand
from domain.fairness.chain import LINK_LENGTH, hashed
from domain.fairness.derivation import SeatLink, hand
from domain.values import Value


class FollowedChain:
    """How far a party's chain has been revealed."""

    def __init__(self, game_id: str, anchor: bytes, length: int) -> None:
        self.game_id, self.length = game_id, length
        self.head, self.number = anchor, 0
        self.revealed = {anchor}

    def problem_with(self, link: bytes, called: int) -> str | None:
        """Why this is not the link that the game asked for, or None if it is.

        A wrong link, unless it is an old one, becomes the end of the revealed chain all the same, so that the check of
        later links can go on.
        """
        if link in self.revealed:
            return "was revealed before"
        number = self._number_of(link, called + 1)
        self.revealed.add(link)
        self.head, self.number = link, called if number is None else number
        if called > self.length:
            return "is beyond the end of the chain"
        if number is None:
            return "does not lead to the one revealed before it"
        return None if number == called else f"is number {number}; number {called} was called for"

    def _number_of(self, link: bytes, number_max: int) -> int | None:
        """The number of a link, if hashing it leads to what was revealed last."""
        if len(link) != LINK_LENGTH:
            return None
        for number in range(self.number + 1, number_max + 1):
            link = hashed(link, self.game_id)
            if link == self.head:
                return number
        return None


class SecretDeal(Value, frozen=True):
    """A deal that waits for the server's link."""

    index: int
    event: DiceDealt | DiceRerolled
    number: int
    """The number of the links that it is made of."""
    transcript: bytes
    links: tuple[SeatLink, ...]

    @property
    def reroll_of(self) -> int | None:
        """The seat that rerolls; None if all seats roll."""
        return self.event.seat if isinstance(self.event, DiceRerolled) else None

    def agrees(self, link: bytes, hands: tuple[Hand, ...]) -> bool:
        """Whether the event agrees with this deal. Parts that it hides are None, and always agree."""
        event = self.event
        visible = (event.hand,) if isinstance(event, DiceRerolled) else event.hands or (None,) * len(hands)
        same = all(dice in (None, hand) for dice, hand in zip(visible, hands, strict=False))
        return len(visible) == len(hands) and same and event.server_link in (None, link)


class Cups:
    """The dice of a round as the links make them."""

    def __init__(self, counts: list[int]) -> None:
        self.hidden: list[Hand] = [(0,) * count for count in counts]
        self.shown: list[Hand] = [()] * len(counts)

    @property
    def dice(self) -> tuple[Hand, ...]:
        """All dice of each seat: the shown ones first, then the hidden ones."""
        return tuple(shown + hidden for shown, hidden in zip(self.shown, self.hidden, strict=True))

    def show(self, event: DiceRerolled) -> bool:
        """Move the shown dice out of the cup; returns whether they lay there and all others were rerolled."""
        hidden = self.hidden[event.seat]
        left = len(hidden) - len(event.shown)
        self.shown[event.seat] += event.shown
        self.hidden[event.seat] = hidden[: max(left, 0)]
        return 0 < left == event.rerolled < len(hidden) and Counter(event.shown) <= Counter(hidden)

    def fill(self, key: bytes, reroll_of: int | None) -> tuple[Hand, ...]:
        """Put the dice of a deal under the cups, and return them."""
        seats = range(len(self.hidden)) if reroll_of is None else (reroll_of,)
        for seat in seats:
            self.hidden[seat] = hand(key, seat, len(self.hidden[seat]))
        return tuple(self.hidden[seat] for seat in seats)
