"""What a player, or the server for one, wants to do at a table.

A move says what is wanted and nothing else. It becomes a command on the very state that it is decided on: only there are
the seat, the time and the link that comes next settled, so that no move speaks for another seat, and none brings a link
or a time that the game has left behind.
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
    """Dice to show, and the player's own link for rerolling the others; empty where the server keeps the chain."""

    shown: Hand
    link: bytes = b""


class Start(Value, frozen=True):
    """Close the table and begin."""

    opener: int | None = None


class RollDice(Value, frozen=True):
    """Roll, with the player's own link if the server keeps none."""

    link: bytes = b""


class MakeBid(Value, frozen=True):
    """Open or raise, and maybe show and reroll in the same step."""

    bid: Bid
    showing: Showing | None = None


class ShowDice(Value, frozen=True):
    """Show and reroll after a bid that was made before."""

    showing: Showing


class Doubt(Value, frozen=True):
    """Challenge the standing bid."""


class GiveUp(Value, frozen=True):
    """Forfeit the game."""


class Leave(Value, frozen=True):
    """Give the seat back before the game starts."""


class RemoveBot(Value, frozen=True):
    """Take a bot from its seat before the game starts."""

    seat: int


class Abandon(Value, frozen=True):
    """End the game without a winner."""

    reason: str


class RunOut(Value, frozen=True):
    """Let the clock act for a seat whose time is up."""


Move: TypeAlias = Start | RollDice | MakeBid | ShowDice | Doubt | GiveUp | Leave | RemoveBot | Abandon | RunOut


class Links(Value, frozen=True):
    """The links that a roll or a reroll takes: that of the seat, and that of the server."""

    own: bytes = b""
    servers: bytes = b""


NO_LINKS = Links()


def link_of(move: Move) -> bytes | None:
    """The player's link that comes with a move; None for a move that takes no links."""
    match move:
        case RollDice(link=link) | ShowDice(showing=Showing(link=link)) | MakeBid(showing=Showing(link=link)):
            return link
        case _:
            return None


def command_of(move: Move, at: int, seat: int, links: Links) -> AnyCommand:
    """The command that a move is, at a time, for a seat, with the links that come next."""
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
        case Leave() | RemoveBot():
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
