"""What a player, or the server in a player's place, wants to do at a table.

A move says only what the player wants. It becomes a command on the same state that decides it. That state gives the
seat and the next link, and the clock gives the time. So no move acts for another seat, or brings an old link or time.
"""

from typing import TypeAlias, assert_never

from domain.commands import (
    AbandonGame,
    AnyCommand,
    Challenge,
    Forfeit,
    LeaveGame,
    PlaceBid,
    Reroll,
    Roll,
    ShowAndReroll,
    StartGame,
    TimeOut,
)
from domain.events import Hand
from domain.values import Bid, Value


class Showing(Value, frozen=True):
    """Dice to show, and the player's link for rerolling the others. It is empty if the server keeps the chain."""

    shown: Hand
    link: bytes = b""


class Start(Value, frozen=True):
    """Close the table and start the game."""

    opener: int | None = None


class RollDice(Value, frozen=True):
    """Roll. The link is empty if the server keeps the player's chain."""

    link: bytes = b""


class MakeBid(Value, frozen=True):
    """Bid, and maybe show and reroll in the same step."""

    bid: Bid
    showing: Showing | None = None


class ShowDice(Value, frozen=True):
    """Show and reroll, after a bid of one's own."""

    showing: Showing


class Doubt(Value, frozen=True):
    """Challenge the standing bid."""


class GiveUp(Value, frozen=True):
    """Forfeit the game."""


class LeaveTable(Value, frozen=True):
    """Give the seat back before the game starts."""


class RemoveBot(Value, frozen=True):
    """Take a bot from its seat before the game starts."""

    seat: int


class Abandon(Value, frozen=True):
    """End the game without a winner."""

    reason: str


class RunOut(Value, frozen=True):
    """Let the clock act for a seat whose time is up."""


Move: TypeAlias = Start | RollDice | MakeBid | ShowDice | Doubt | GiveUp | LeaveTable | RemoveBot | Abandon | RunOut


class Links(Value, frozen=True):
    """The two links that a roll or a reroll needs: one of the seat and one of the server."""

    own: bytes = b""
    servers: bytes = b""


NO_LINKS = Links()


def link_of(move: Move) -> bytes | None:
    """The player's link in a move; None for a move that needs no links."""
    match move:
        case RollDice(link=link) | ShowDice(showing=Showing(link=link)) | MakeBid(showing=Showing(link=link)):
            return link
        case _:
            return None


def command_of(move: Move, at: int, seat: int, links: Links) -> AnyCommand:
    """The command for a move of a seat, at a time, with the next links."""
    match move:
        case MakeBid(bid=bid, showing=showing):
            reroll = None if showing is None else _reroll(showing.shown, links)
            return PlaceBid(at=at, seat=seat, quantity=bid.quantity, face=bid.face, reroll=reroll)
        case Doubt():
            return Challenge(at=at, seat=seat)
        case RollDice():
            return Roll(at=at, seat=seat, link=links.own, server_link=links.servers)
        case ShowDice(showing=showing):
            return ShowAndReroll(at=at, seat=seat, reroll=_reroll(showing.shown, links))
        case Start(opener=opener):
            return StartGame(at=at, opener=opener)
        case LeaveTable() | RemoveBot():
            return LeaveGame(at=at, seat=seat)
        case GiveUp():
            return Forfeit(at=at, seat=seat)
        case RunOut():
            return TimeOut(at=at, seat=seat)
        case Abandon(reason=reason):
            return AbandonGame(at=at, reason=reason)
        case _:
            assert_never(move)


def _reroll(shown: Hand, links: Links) -> Reroll:
    return Reroll(shown=shown, link=links.own, server_link=links.servers)
