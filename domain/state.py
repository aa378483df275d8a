"""The state of a game: a union of phases, so that what makes no sense in a phase does not exist in it.

`Nothing -> Gathering -> [ChoosingOpener] -> Rolling -> Bidding -> Settling -> Rolling ... -> Ended`

The same types hold what the server knows and what a viewer knows: folding the events that a viewer may see gives a
state in which the hidden dice of others are None.
"""

from domain.commands import ChainHolder, Kind
from domain.events import Fairness, Hand
from domain.fairness.derivation import SeatLink
from domain.options import Options
from domain.rulebooks import Rules, rules_of
from domain.rulebooks.rulebook import RoundRules
from domain.values import Bid, PlacedBid, Value


class Player(Value, frozen=True):
    """The player on a seat."""

    player_id: str
    name: str
    kind: Kind
    anchor: bytes
    chain_held_by: ChainHolder
    signing_key: bytes | None = None


class Table(Value, frozen=True):
    """What is fixed once the game has started."""

    game_id: str
    rulebook: str
    rulebook_version: int
    options: Options
    seats: int
    fairness: Fairness
    players: tuple[Player, ...] = ()

    @property
    def rules(self) -> Rules:
        """The rulebook with this game's options."""
        return rules_of(self.rulebook, self.rulebook_version, self.options)


class Head(Value, frozen=True):
    """How far a chain has been revealed: the last link, or the anchor, and its number."""

    link: bytes
    number: int = 0


class Loss(Value, frozen=True):
    """The dice that a seat lost by a challenge."""

    seat: int
    penalty: int
    lost: int


class Settlement(Value, frozen=True):
    """How a challenge ended."""

    bid: PlacedBid
    challenger: int
    actual: int
    winner: int
    losses: tuple[Loss, ...] = ()


class Reveal(Value, frozen=True):
    """What everybody saw when the last round ended."""

    number: int
    dice: tuple[Hand, ...]
    settlement: Settlement | None = None
    """None if the round ended without a challenge."""


class Standing(Value, frozen=True):
    """What is carried from round to round."""

    dice_counts: tuple[int, ...]
    heads: tuple[Head, ...]
    """The chains of the seats."""
    server_head: Head
    """The server's chain as far as it is public."""
    transcript: bytes
    next_call: int = 1
    """The number of the links that the next call to roll asks for."""
    chips: tuple[int, ...] | None = None
    round_pot: int = 0
    game_pot: int = 0
    out: tuple[tuple[int, ...], ...] = ()
    """The seats that are out, in the order they went; those who went together share a tuple."""
    last_round: Reveal | None = None

    @property
    def in_play(self) -> tuple[int, ...]:
        """The seats that have dice."""
        return tuple(seat for seat, count in enumerate(self.dice_counts) if count)

    def left_of(self, seat: int) -> int:
        """The next higher seat, wrapping, that has dice."""
        counts = self.dice_counts
        following = (seat + 1) % len(counts)
        while not counts[following]:
            following = (following + 1) % len(counts)
        return following


class Round(Value, frozen=True):
    """Which round it is."""

    number: int
    opener: int
    palafico: bool


class Cup(Value, frozen=True):
    """The dice of a seat in the running round."""

    hidden_count: int
    hidden: Hand | None
    """None for a viewer who may not look under this cup."""
    shown: Hand = ()


class Deal(Value, frozen=True):
    """A deal of the running round, kept for the reveal."""

    server_link: bytes | None
    hands: tuple[Hand | None, ...]
    reroll_of: int | None = None


class Nothing(Value, frozen=True):
    """No game yet."""


class Gathering(Value, frozen=True):
    """Players are joining."""

    table: Table
    since: int
    """When somebody last came or went."""


class ChoosingOpener(Value, frozen=True):
    """Some seats roll for the right to open the first round."""

    table: Table
    standing: Standing
    contenders: tuple[int, ...]
    call: int
    links: tuple[SeatLink, ...]
    since: int

    @property
    def link_number(self) -> int:
        """The number of the links that the game waits for."""
        return self.call

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that the game waits for."""
        return _missing(self.contenders, self.links)


class Rolling(Value, frozen=True):
    """A round has begun, and everyone in play rolls."""

    table: Table
    standing: Standing
    round: Round
    call: int
    links: tuple[SeatLink, ...]
    since: int

    @property
    def link_number(self) -> int:
        """The number of the links that the game waits for."""
        return self.call

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that the game waits for."""
        return _missing(self.standing.in_play, self.links)


class Bidding(Value, frozen=True):
    """The dice lie under the cups; bids are made until one is challenged."""

    table: Table
    standing: Standing
    round: Round
    call: int
    cups: tuple[Cup, ...]
    deals: tuple[Deal, ...]
    bids: tuple[PlacedBid, ...]
    rerolled: bool
    """Whether the bidder has shown and rerolled since the standing bid."""
    since: int

    @property
    def turn(self) -> int:
        """The seat that opens, raises or challenges next."""
        return self.standing.left_of(self.bids[-1].seat) if self.bids else self.round.opener

    @property
    def waiting(self) -> tuple[int, ...]:
        """The seats that the game waits for."""
        return (self.turn,)

    @property
    def link_number(self) -> int:
        """The number of the links that the next reroll uses."""
        return self.call + len(self.deals)

    @property
    def standing_bid(self) -> Bid | None:
        """The bid that must be raised or challenged."""
        return self.bids[-1].bid if self.bids else None

    @property
    def round_rules(self) -> RoundRules:
        """The rules of this kind of round."""
        return self.table.rules.of_round(palafico=self.round.palafico)


class Settling(Value, frozen=True):
    """The cups are lifted; losses, pots and the next round follow."""

    table: Table
    standing: Standing
    round: Round


class Ended(Value, frozen=True):
    """The game is over."""

    table: Table
    standing: Standing | None
    """None if the game was abandoned before it started."""
    since: int
    winner: int | None = None
    places: tuple[tuple[int, ...], ...] = ()
    abandoned: str | None = None


State = Nothing | Gathering | ChoosingOpener | Rolling | Bidding | Settling | Ended
Running = ChoosingOpener | Rolling | Bidding | Settling

NOTHING = Nothing()


def _missing(seats: tuple[int, ...], links: tuple[SeatLink, ...]) -> tuple[int, ...]:
    rolled = {seat for seat, _ in links}
    return tuple(seat for seat in seats if seat not in rolled)
