"""What has happened in a game: immutable facts, in the order they happened.

Each kind has a permanent `TOPIC` under which it is stored, with the version of its payload; a changed payload is a new
version, never an edit. `SECRETS` names the fields that not everyone may see yet. Storage seals them, and `domain.views`
removes them for viewers who may not see them: a secret that the reader may not see is None.
"""

from typing import ClassVar, Literal

from domain.commands import ChainHolder, Kind
from domain.options import Options
from domain.values import PlacedBid, Value

Hand = tuple[int, ...]
ForfeitReason = Literal["resigned", "time"]
Pot = Literal["round", "game"]


class Event(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact, with the time of the command that caused it."""

    TOPIC: ClassVar[str]
    SECRETS: ClassVar[tuple[str, ...]] = ()

    at: int = 0


class Fairness(Value, frozen=True, kw_only=True):
    """How the dice of a game come about, and the server's commitment to its part of them."""

    version: int
    chain_length: int
    server_anchor: bytes


class GameCreated(Event, frozen=True):
    """A table was set up."""

    TOPIC = "game-created.v1"

    game_id: str
    rulebook: str
    rulebook_version: int
    options: Options
    seats: int
    fairness: Fairness


class PlayerJoined(Event, frozen=True):
    """A player took a seat and committed to a chain."""

    TOPIC = "player-joined.v2"

    seat: int
    player_id: str
    name: str
    kind: Kind
    anchor: bytes
    chain_held_by: ChainHolder
    signing_key: bytes | None = None
    """The Ed25519 key with which the player signs every move; None if moves are not signed."""


class PlayerLeft(Event, frozen=True):
    """A player left before the start; higher seats moved down by one (R16)."""

    TOPIC = "player-left.v1"

    seat: int


class GameStarted(Event, frozen=True):
    """The table was closed to joiners."""

    TOPIC = "game-started.v1"

    dice_each: int
    chips_each: int | None


class RollCalled(Event, frozen=True):
    """The game asks these seats to roll, for the first opener or for a round: each reveals the link with this number."""

    TOPIC = "roll-called.v1"

    seats: tuple[int, ...]
    call: int
    calls: int
    """How many numbers, from `call` on, this roll sets aside for itself and the rerolls that may follow it."""


class Rolled(Event, frozen=True):
    """A player revealed the next link. Once everyone has, the dice are decided."""

    TOPIC = "rolled.v1"

    seat: int
    link: bytes


class OpeningRoll(Value, frozen=True):
    """What a seat rolled for the first opener."""

    seat: int
    dice: Hand


class OpeningDiceRolled(Event, frozen=True):
    """The dice for the first opener fell, for everybody to see; `rolls` is empty where the opener is drawn."""

    TOPIC = "opening-dice-rolled.v1"

    server_link: bytes
    rolls: tuple[OpeningRoll, ...]


class OpenerChosen(Event, frozen=True):
    """One seat was chosen to open the first round."""

    TOPIC = "opener-chosen.v1"

    seat: int
    how: Literal["named", "drawn", "rolled"]


class RoundStarted(Event, frozen=True):
    """A round began; everyone with dice rolls next."""

    TOPIC = "round-started.v1"

    number: int
    opener: int
    palafico: bool
    dice_counts: tuple[int, ...]


class Ante(Value, frozen=True):
    """What a seat paid into the pots at the start of a round."""

    seat: int
    round_pot: int
    game_pot: int


class AntesPaid(Event, frozen=True):
    """Everyone in the game paid into the pots."""

    TOPIC = "antes-paid.v1"

    antes: tuple[Ante, ...]


class DiceDealt(Event, frozen=True):
    """All had rolled, so the dice of the round fell; the bidding is open."""

    TOPIC = "dice-dealt.v1"
    SECRETS = ("server_link", "hands")

    server_link: bytes | None
    hands: tuple[Hand | None, ...] | None
    """The dice of each seat; empty for a seat that is out."""


class BidPlaced(Event, frozen=True):
    """A player opened the bidding or raised the standing bid."""

    TOPIC = "bid-placed.v1"

    seat: int
    quantity: int
    face: int


class DiceRerolled(Event, frozen=True):
    """A bidder showed some dice and rerolled the other hidden ones."""

    TOPIC = "dice-rerolled.v1"
    SECRETS = ("server_link", "hand")

    seat: int
    shown: Hand
    rerolled: int
    link: bytes
    server_link: bytes | None
    hand: Hand | None
    """The new hidden dice."""


class BidChallenged(Event, frozen=True):
    """The standing bid was doubted."""

    TOPIC = "bid-challenged.v1"

    seat: int
    bid: PlacedBid


class RevealedDeal(Value, frozen=True):
    """One deal of the round, laid open: that of all players, or the reroll of one."""

    server_link: bytes
    hands: tuple[Hand, ...]
    reroll_of: int | None = None


class CupsLifted(Event, frozen=True):
    """All dice of the round were laid open, those rerolled away included, with the server's links that prove them."""

    TOPIC = "cups-lifted.v1"

    deals: tuple[RevealedDeal, ...]
    dice: tuple[Hand, ...]
    """The dice of each seat as they lay in the end: the shown ones first, then the hidden ones."""


class SeatCount(Value, frozen=True):
    """How many dice of a seat count towards the bid, by its face and as wilds."""

    seat: int
    natural: int
    wild: int


class ChallengeResolved(Event, frozen=True):
    """The dice were counted."""

    TOPIC = "challenge-resolved.v1"

    bid: PlacedBid
    challenger: int
    actual: int
    counts: tuple[SeatCount, ...]
    winner: int
    """The seat that won the challenge."""


class DiceLost(Event, frozen=True):
    """A player lost dice. The book asks for `penalty` of them; `lost` is less if the player had fewer."""

    TOPIC = "dice-lost.v1"

    seat: int
    penalty: int
    lost: int


class PlayersEliminated(Event, frozen=True):
    """Players have no dice left. Those who go out in the same round share the place."""

    TOPIC = "players-eliminated.v1"

    seats: tuple[int, ...]
    place: int


class PotWon(Event, frozen=True):
    """A player took a pot."""

    TOPIC = "pot-won.v1"

    seat: int
    pot: Pot
    chips: int


class PlayerForfeited(Event, frozen=True):
    """A player gave up, or ran out of time, and lost all dice (R10)."""

    TOPIC = "player-forfeited.v1"

    seat: int
    reason: ForfeitReason
    lost: int


class TurnTimedOut(Event, frozen=True):
    """A player did not act in time; the next events are the consequence."""

    TOPIC = "turn-timed-out.v1"

    seat: int


class RoundEnded(Event, frozen=True):
    """A round was over, by a challenge or by a forfeit."""

    TOPIC = "round-ended.v1"

    number: int


class GameEnded(Event, frozen=True):
    """One player was left, and won."""

    TOPIC = "game-ended.v1"

    winner: int
    places: tuple[tuple[int, ...], ...]
    """The seats, best first; seats that share a place share a tuple."""
    chips: tuple[int, ...] | None


class GameAbandoned(Event, frozen=True):
    """The game was ended without a winner (R17)."""

    TOPIC = "game-abandoned.v1"

    reason: str


AnyEvent = (
    GameCreated
    | PlayerJoined
    | PlayerLeft
    | GameStarted
    | RollCalled
    | Rolled
    | OpeningDiceRolled
    | OpenerChosen
    | RoundStarted
    | AntesPaid
    | DiceDealt
    | BidPlaced
    | DiceRerolled
    | BidChallenged
    | CupsLifted
    | ChallengeResolved
    | DiceLost
    | PlayersEliminated
    | PotWon
    | PlayerForfeited
    | TurnTimedOut
    | RoundEnded
    | GameEnded
    | GameAbandoned
)
