"""The check `signatures`: a seat with a signing key signs every move (audit-format.md, "Signed moves")."""

from dataclasses import dataclass

from .digests import Digests
from .event import Event, Signed
from .form import Json, base64_text
from .keys import is_signed_by

MOVES = {"rolled", "bid-placed", "dice-rerolled", "bid-challenged", "player-forfeited"}
PASSING = {"rolled", "dice-rerolled", "cups-lifted"}
"""Kinds of events that may come between the version that a player has seen and the player's move."""


@dataclass(frozen=True, slots=True)
class Past:
    """The game before a move, as far as signatures name it."""

    game_id: str
    digests: Digests
    before: Event | None
    """The event right before the move."""
    settled: int
    """The version of the last event that the player must have seen."""


def check_signature(event: Event, following: Event | None, key: bytes | None, past: Past) -> None:
    """An event is signed if its seat has a signing key and made the move itself, and otherwise it is not.

    `key` is that of the seat; None if it signs nothing, or if the event is not a move.
    """
    signed = event.evidence.signed
    if signed is not None:
        event.need("signatures", key is not None, "it has a signature, but nobody has to sign it")
        assert key is not None
        _check_past(event, signed, past)
        text = _text(event, following, signed, past)
        holds = is_signed_by(key, signed.signature, text)
        event.need("signatures", holds, f"its signature is not that of seat {event.fields['seat']}")
    elif key is not None:
        is_excused = is_made_by_clock(event, past.before) or _is_signed_before(event, past.before)
        event.need("signatures", is_excused, f"seat {event.fields['seat']} signs its moves, but not this one")


def is_made_by_clock(event: Event, before: Event | None) -> bool:
    """Whether the server made the move because the time of its seat was up (R15)."""
    if event.kind == "player-forfeited":
        return bool(event.fields["reason"] == "time")
    is_late = before is not None and before.kind == "turn-timed-out"
    return is_late and before is not None and before.fields["seat"] == event.fields["seat"]


def _is_signed_before(event: Event, before: Event | None) -> bool:
    """Whether the event is a reroll that was signed together with the bid right before it."""
    if event.kind != "dice-rerolled" or before is None or before.kind != "bid-placed":
        return False
    return before.evidence.signed is not None and bool(before.fields["seat"] == event.fields["seat"])


def _check_past(event: Event, signed: Signed, past: Past) -> None:
    """Only events of the kinds `PASSING` are between the version that the player has seen and the move."""
    event.need("signatures", signed.after < event.version, "its signature names a version that came later")
    sentence = f"its signature names version {signed.after}, but its player must have seen version {past.settled}"
    event.need("signatures", signed.after >= past.settled, sentence)


def _text(event: Event, following: Event | None, signed: Signed, past: Past) -> bytes:
    """The text that the player has signed."""
    seen = base64_text(past.digests[signed.after])
    line = _line(event, following)
    lines = ("liarsdice.move.v1", past.game_id, str(signed.after), seen, str(event.fields["seat"]), line)
    return "".join(f"{line}\n" for line in lines).encode()


def _line(event: Event, following: Event | None) -> str:
    """The line of a move in the signed text. A bid and a reroll that came in the same request share one line."""
    line = _words(event.kind, event.fields)
    if following is None or not _is_signed_before(following, event) or following.evidence.signed is not None:
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
