"""Days and moments as people write them."""

from datetime import UTC, datetime

MILLISECONDS_MIN = 10**11
"""Smaller numbers, up to some day in 1973, are more likely a year, a day or seconds."""
_MILLISECONDS_END = 253_402_300_800_000  # The year 10000, with which ISO 8601 ends too.
_DAY_DIGITS = 8


def milliseconds_of(text: str) -> int | None:
    """A time by ISO 8601, in UTC if it names no other zone, or in milliseconds, as milliseconds since 1970; None if it is none."""
    # Thirteen digits would also do for a day and a time, with any digit between them.
    if text.isascii() and text.isdecimal() and len(text) != _DAY_DIGITS:
        at = int(text) if len(text) <= len(str(_MILLISECONDS_END)) else _MILLISECONDS_END
        return at if MILLISECONDS_MIN <= at < _MILLISECONDS_END else None
    try:
        named = datetime.fromisoformat(text)
        since_1970 = (named if named.tzinfo else named.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return round(since_1970 * 1_000) if since_1970 >= 0 else None
