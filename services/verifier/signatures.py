"""The check `signatures`: a seat with a signing key signs every move (audit-format.md, "Signed moves")."""

from dataclasses import dataclass

from .bundle import Bundle
from .event import Event
from .form import Json, base64_text, decoded_exactly
from .keys import is_signed_by

MOVES = {"rolled", "bid-placed", "dice-rerolled", "bid-challenged", "player-forfeited"}
PASSING = {"rolled", "dice-rerolled", "cups-lifted"}
"""Kinds of events that may come between the version that a player has seen and the player's move."""
SIGNED_MEMBERS = ("after", "signature")
KEY_BYTES = 32


@dataclass(frozen=True, slots=True)
class Move:
    """An event, and what the check of its signature needs."""

    event: Event
    before: Event
    following: Event | None
    key: str | None
    """The signing key of the seat; None if it signs nothing, or if the event is not a move."""
    settled: int
    """The version of the last event that the player must have seen."""


def check_signature(move: Move, bundle: Bundle) -> None:
    """Every move of a seat with a signing key is signed, and no other event is."""
    signed = move.event.evidence.signed
    if signed is None:
        is_free = move.key is None or _is_excused(move)
        move.event.need("signatures", is_free, "the seat signs its moves, but not this one")
    else:
        _check_past(move, signed.after, signed.members)
        _check_maker(move, signed.after, signed.signature, bundle)


def _is_excused(move: Move) -> bool:
    """Whether the clock made the move, or the signature of a bid covers the reroll right after it."""
    by_clock = move.before.kind == "turn-timed-out" or move.event.fields.get("reason") == "time"
    return by_clock or (move.event.kind == "dice-rerolled" and _is_signed_bid(move.before))


def _is_signed_bid(event: Event) -> bool:
    """Whether an event is a signed bid."""
    return event.kind == "bid-placed" and event.evidence.signed is not None


def _check_past(move: Move, after: int, members: tuple[str, ...]) -> None:
    """The seat has a key, and only events of the kinds `PASSING` are between the version it has seen and the move."""
    fits = move.key is not None and members == SIGNED_MEMBERS and move.settled <= after < move.event.version
    move.event.need("signatures", fits, "it can't be signed on such a past")


def _check_maker(move: Move, after: int, signature: bytes, bundle: Bundle) -> None:
    """The key of the seat has signed the text of the move."""
    key = decoded_exactly(move.key or "", KEY_BYTES)
    seat = move.event.fields["seat"]
    past = base64_text(bundle.digest(after))
    lines = ("liarsdice.move.v1", bundle.game_id, str(after), past, str(seat), _line(move))
    text = "".join(f"{line}\n" for line in lines)
    holds = is_signed_by(key, signature, text.encode())
    move.event.need("signatures", holds, "its signature is not that of its seat")


def _line(move: Move) -> str:
    """The line of a move in the signed text. A bid and a reroll that came in the same request share one line."""
    line = _words(move.event.kind, move.event.fields)
    following = move.following
    if move.event.kind != "bid-placed" or following is None or following.kind != "dice-rerolled":
        return line
    if following.evidence.signed is not None:
        return line
    return f"{line} {_words(following.kind, following.fields)}"


def _words(kind: str, fields: Json) -> str:
    """The words for a single move in the signed text."""
    match kind:
        case "rolled":
            return f"roll {fields['link']}"
        case "bid-placed":
            return f"bid {fields['quantity']} {fields['face']}"
        case "dice-rerolled":
            return f"show {','.join(map(str, fields['shown']))} link {fields['link']}"
        case "bid-challenged":
            return "challenge"
        case _:
            return "forfeit"
