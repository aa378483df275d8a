"""What a player signs: one text for each move, which names the game, the past that the move was made on, and the move."""

from base64 import b64encode

from domain.commands import Challenge, Forfeit, PlaceBid, Reroll, Roll, ShowAndReroll
from domain.events import BidChallenged, BidPlaced, DiceRerolled, PlayerForfeited, Rolled

SignedMove = Roll | PlaceBid | ShowAndReroll | Challenge | Forfeit
"""The moves that a player with a signing key signs."""

SIGNED_EVENTS = (Rolled, BidPlaced, DiceRerolled, BidChallenged, PlayerForfeited)
"""The server stores a signature with the first of these events that the move caused."""


def text_to_sign(game_id: str, after: int, digest: bytes, move: SignedMove) -> bytes:
    """The text for a move that is made right after version `after` of a game, whose event there has this digest."""
    lines = ("liarsdice.move.v1", game_id, str(after), _base64(digest), str(move.seat), _line(move))
    return "".join(f"{line}\n" for line in lines).encode()


def _line(move: SignedMove) -> str:
    match move:
        case Roll(link=link):
            return f"roll {_base64(link)}"
        case PlaceBid(quantity=quantity, face=face, reroll=None):
            return f"bid {quantity} {face}"
        case PlaceBid(quantity=quantity, face=face, reroll=Reroll() as reroll):
            return f"bid {quantity} {face} {_show_line(reroll)}"
        case ShowAndReroll(reroll=reroll):
            return _show_line(reroll)
        case Challenge():
            return "challenge"
        case Forfeit():
            return "forfeit"
        case _:
            raise AssertionError(move)


def _show_line(reroll: Reroll) -> str:
    return f"show {','.join(map(str, reroll.shown))} link {_base64(reroll.link)}"


def _base64(raw: bytes) -> str:
    return b64encode(raw).decode()
