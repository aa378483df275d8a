"""The words of a refusal, for players: seats have names, and nobody counts versions."""

import re
from collections.abc import Sequence

from services.client import Refused

_MOVED_ON = "The game has moved on meanwhile, so nothing was done. Look at the table, and decide anew."
_STALE = {"VERSION_MOVED", "SIGNATURE_STALE"}
_SEATS = re.compile(r"\b(?P<before>waits for )?(?:[Ss]eats? )?(?P<seats>\d+(?:, \d+)*)\b")


def in_words(refusal: Refused, names: Sequence[str]) -> str:
    """The server's sentence, with the names of players in place of the numbers of seats."""
    if refusal.reason in _STALE:
        return _MOVED_ON
    return _SEATS.sub(lambda found: _with_names(found, names), refusal.message)


def _with_names(found: re.Match[str], names: Sequence[str]) -> str:
    seats = [int(seat) for seat in found["seats"].split(", ")]
    is_of_seats = found["before"] or found[0].lower().startswith("seat")
    if not is_of_seats or any(seat >= len(names) for seat in seats):
        return found[0]
    return (found["before"] or "") + ", ".join(names[seat] for seat in seats)
