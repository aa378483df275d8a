"""Days and moments as people write them."""

from datetime import UTC, datetime

MILLISECONDS_MIN = 10**11
"""A smaller number of milliseconds would be a day before 1973; it is more likely a year, a day or seconds."""
_MILLISECONDS_END = 253_402_300_800_000  # The year 10000; ISO 8601 dates end there too.
_DAY_DIGITS = 8


def milliseconds_of(text: str) -> int | None:
    """The milliseconds since 1970 of an ISO 8601 time (in UTC unless it names a zone) or of a number; None for any other text."""
    # Numbers first, because `fromisoformat` would read some numbers of 13 digits as a date and a time.
    if text.isascii() and text.isdecimal() and len(text) != _DAY_DIGITS:
        at = int(text) if len(text) <= len(str(_MILLISECONDS_END)) else _MILLISECONDS_END
        return at if MILLISECONDS_MIN <= at < _MILLISECONDS_END else None
    try:
        named = datetime.fromisoformat(text)
        since_1970 = (named if named.tzinfo else named.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return round(since_1970 * 1_000) if since_1970 >= 0 else None


def day_of(milliseconds: int) -> str:
    """The day of a moment in UTC, as ISO 8601 writes it."""
    return datetime.fromtimestamp(milliseconds / 1_000, UTC).date().isoformat()
