"""What can be asked of a game. Every command carries the time it was made, in milliseconds since 1970."""

from typing import Annotated, Literal

from msgspec import Meta

from domain.options import DEFAULT_OPTIONS, Options
from domain.values import Value

Kind = Literal["human", "bot"]
ChainHolder = Literal["player", "server"]


class Command(Value, frozen=True, kw_only=True, tag_field="type", forbid_unknown_fields=True):
    """Something a player or the server wants to happen."""

    at: Annotated[int, Meta(ge=0, le=2**53)] = 0


class CreateGame(Command, frozen=True, tag="CreateGame"):
    """Set up a table. The server commits to its chain before anyone joins."""

    game_id: str
    rulebook: str
    server_anchor: bytes
    options: Options = DEFAULT_OPTIONS
    seats: int | None = None
    """How many players the table takes; None means as many as the book allows."""


class JoinGame(Command, frozen=True, tag="JoinGame"):
    """Take the next seat and commit to a chain."""

    player_id: str
    name: str
    anchor: bytes
    kind: Kind = "human"
    chain_held_by: ChainHolder = "player"
    signing_key: bytes | None = None


class LeaveGame(Command, frozen=True, tag="LeaveGame"):
    """Give the seat back before the game starts."""

    seat: int


class StartGame(Command, frozen=True, tag="StartGame"):
    """Close the table to joiners and begin."""

    opener: int | None = None
    """R2: the seat that opens, unless the game's options name it already."""


class Roll(Command, frozen=True, tag="Roll"):
    """Roll the dice by revealing the next link of the seat's chain. The last roll decides all dice."""

    seat: int
    link: bytes
    server_link: bytes
    """The next link of the server's chain, added by the server; it stays secret until the cups are lifted."""


class Reroll(Value, frozen=True, kw_only=True):
    """The dice to show, and the links that decide how the others fall again."""

    shown: tuple[int, ...]
    link: bytes
    server_link: bytes


class PlaceBid(Command, frozen=True, tag="PlaceBid"):
    """Open the bidding or raise the standing bid, and maybe show and reroll in the same step."""

    seat: int
    quantity: int
    face: int
    reroll: Reroll | None = None


class ShowAndReroll(Command, frozen=True, tag="ShowAndReroll"):
    """Show some dice and reroll the others, right after bidding."""

    seat: int
    reroll: Reroll


class Challenge(Command, frozen=True, tag="Challenge"):
    """Doubt the standing bid."""

    seat: int


class Forfeit(Command, frozen=True, tag="Forfeit"):
    """Give up the game."""

    seat: int


class TimeOut(Command, frozen=True, tag="TimeOut"):
    """Say that a seat's time is up. The server sends this when its clock runs out."""

    seat: int


class AbandonGame(Command, frozen=True, tag="AbandonGame"):
    """End the game without a winner; only the operator may do this."""

    reason: str


AnyCommand = (
    CreateGame
    | JoinGame
    | LeaveGame
    | StartGame
    | Roll
    | PlaceBid
    | ShowAndReroll
    | Challenge
    | Forfeit
    | TimeOut
    | AbandonGame
)
