"""What a reader of a game has to keep in mind to check its dice: chains, deals that are still secret, and the cups."""

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
        """Why this is not the link that was called for; unless it is an old one it is taken as such, to go on."""
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
    """That of the links it is made of."""
    transcript: bytes
    links: tuple[SeatLink, ...]

    @property
    def reroll_of(self) -> int | None:
        """The seat that rerolls, if it is no deal of all."""
        return self.event.seat if isinstance(self.event, DiceRerolled) else None

    def agrees(self, link: bytes, hands: tuple[Hand, ...]) -> bool:
        """Whether these are the link and the dice that the reader was told at the deal: none, the own or all."""
        told = (self.event.hand,) if isinstance(self.event, DiceRerolled) else self.event.hands or (None,) * len(hands)
        same = all(dice in (None, hand) for dice, hand in zip(told, hands, strict=False))
        return len(told) == len(hands) and same and self.event.server_link in (None, link)


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
        """Whether the dice shown lay under the cup and all others were rerolled; in any case they are open now."""
        hidden = self.hidden[event.seat]
        left = len(hidden) - len(event.shown)
        self.shown[event.seat] += event.shown
        self.hidden[event.seat] = hidden[: max(left, 0)]
        return 0 < left == event.rerolled < len(hidden) and Counter(event.shown) <= Counter(hidden)

    def fill(self, key: bytes, reroll_of: int | None) -> tuple[Hand, ...]:
        """The dice of a deal, which now lie under the cups."""
        seats = range(len(self.hidden)) if reroll_of is None else (reroll_of,)
        for seat in seats:
            self.hidden[seat] = hand(key, seat, len(self.hidden[seat]))
        return tuple(self.hidden[seat] for seat in seats)
