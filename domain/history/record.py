"""The game record: one JSON object per game, the same wherever a whole game is written or read.

Later versions may add fields, so a reader ignores those it does not know. A field that some writers leave out has a
default here. Times are milliseconds since 1970. Records that were written before they had times are read without them,
and written without them again.
"""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from domain.commands import ChainHolder, Kind
from domain.events import Ante, ForfeitReason, Hand
from domain.options import Options
from domain.refusals import Malformed
from domain.state import Loss
from domain.values import PlacedBid, Value


class SeatRecord(Value, frozen=True):
    """The player on a seat, and who kept the chain for the seat's rolls."""

    seat: int
    player_id: str
    name: str
    kind: Kind
    chain_held_by: ChainHolder = "server"
    """A record that does not say it counts as `server`, the weaker claim."""


class OpeningRollRecord(Value, frozen=True):
    """A roll for the first opener."""

    seat: int
    dice: Hand
    at: int | UnsetType = UNSET
    version: int | UnsetType = UNSET


class RollAction(Value, frozen=True, tag_field="type", tag="roll"):
    """A player rolled. Every action has its time and the version of its event, which is the number of its replay step."""

    seat: int
    at: int | UnsetType = UNSET
    version: int | UnsetType = UNSET


class BidAction(Value, frozen=True, tag_field="type", tag="bid"):
    """A player opened or raised."""

    seat: int
    quantity: int
    face: int
    at: int | UnsetType = UNSET
    version: int | UnsetType = UNSET


class ShowAndRerollAction(Value, frozen=True, tag_field="type", tag="show_and_reroll"):
    """A bidder showed dice and rerolled the others; `hand` is what they became."""

    seat: int
    shown: Hand
    rerolled: int
    hand: Hand = ()
    at: int | UnsetType = UNSET
    version: int | UnsetType = UNSET


class ChallengeAction(Value, frozen=True, tag_field="type", tag="challenge"):
    """A player doubted the standing bid."""

    seat: int
    at: int | UnsetType = UNSET
    version: int | UnsetType = UNSET


class TimeoutAction(Value, frozen=True, tag_field="type", tag="timeout"):
    """A player's time was up; the next action is what the game did for the player."""

    seat: int
    at: int | UnsetType = UNSET
    version: int | UnsetType = UNSET


class ForfeitAction(Value, frozen=True, tag_field="type", tag="forfeit"):
    """A player gave up or ran out of time."""

    seat: int
    at: int | UnsetType = UNSET
    version: int | UnsetType = UNSET


Action = RollAction | BidAction | ShowAndRerollAction | ChallengeAction | TimeoutAction | ForfeitAction


class Result(Value, frozen=True):
    """How a challenge ended."""

    bid: PlacedBid
    challenger: int
    actual: int
    penalties: tuple[Loss, ...]
    """Who lost how many dice."""
    winner: int
    eliminated: tuple[int, ...]
    """The seats that lost their last die."""


class RoundRecord(Value, frozen=True, kw_only=True):
    """One ended round."""

    number: int
    opener: int
    palafico: bool
    dice_counts: tuple[int, ...]
    antes: tuple[Ante, ...]
    actions: tuple[Action, ...]
    """What the players did, in its order."""
    dealt: tuple[Hand, ...] = ()
    """The dice of each seat as they first fell; empty if the round ended before all had rolled."""
    dice: tuple[Hand, ...]
    """The dice of each seat in the end, the shown ones first."""
    result: Result | None
    """None if the round ended without a challenge."""


class ForfeitRecord(Value, frozen=True):
    """When and why a player gave up; round 0 is before the first round."""

    seat: int
    round: int
    """The number of the round; 0 before the first."""
    reason: ForfeitReason
    at: int | UnsetType = UNSET
    version: int | UnsetType = UNSET


class GameRecord(Value, frozen=True, kw_only=True):
    """A whole game, or the ended rounds of a running one."""

    record_version: Literal[1] = 1
    """The version of this format. Fields may be added to it, and none is renamed."""
    game_id: str
    rulebook: str
    rulebook_version: int
    options: Options
    seats: tuple[SeatRecord, ...]
    opening_rolls: tuple[OpeningRollRecord, ...]
    """The rolls for the opener in their order; empty where the book doesn't roll for it."""
    rounds: tuple[RoundRecord, ...]
    """The rounds that have ended."""
    forfeits: tuple[ForfeitRecord, ...]
    """The players who gave up or ran out of time."""
    winner: int | None
    places: tuple[tuple[int, ...], ...]
    chips: tuple[int, ...] | None
    """The final chips by seat; null in a game without chips."""
    abandoned: str | None = None
    forked_from: str | UnsetType = UNSET
    """The game that a practice game goes on from; not written at all for other games."""
    forked_version: int | UnsetType = UNSET
    """The version of that game up to which this one is a copy of it."""
    created_at: int | UnsetType = UNSET
    started_at: int | UnsetType | None = UNSET
    """None if the game never started."""
    ended_at: int | UnsetType | None = UNSET
    """When it was won or abandoned; None while it goes on."""


_DECODER = msgspec.json.Decoder(GameRecord)
_ENCODER = msgspec.json.Encoder()


def encode_record(record: GameRecord) -> bytes:
    """A record as one line of JSON, without the line's end."""
    return _ENCODER.encode(record)


def decode_record(line: bytes | str) -> GameRecord:
    """A record from one line of JSON."""
    try:
        return _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Malformed(what="game record", problem=str(error)) from None
