"""Days and moments as people write them."""

import re
from datetime import UTC, datetime, timedelta

MILLISECONDS_MIN = 10**11
"""A smaller number of milliseconds would be a day before 1973; it is more likely a year, a day or seconds."""
_MILLISECONDS_END = 253_402_300_800_000  # The year 10000; ISO 8601 dates end there too.
_DAY_DIGITS = 8
# Stricter than `fromisoformat`, which takes any character between day and time, and so a zone after a day for a time.
_MOMENT = re.compile(
    r"(?P<day>[0-9W-]+)"
    r"(?P<time>[T ]\d\d(?::?\d\d(?::?\d\d(?:[.,](?P<fraction>\d{1,12}))?)?)?(?P<zone>Z|[+-]\d\d(?::?\d\d)?)?)?",
    re.ASCII,
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def milliseconds_of(text: str) -> int | None:
    """The milliseconds since 1970 of an ISO 8601 time (in UTC unless it names a zone) or of a number; None for any other text.

    A part of a millisecond counts as a whole one.
    """
    # Numbers first, because `fromisoformat` would read some numbers of 13 digits as a date and a time.
    if text.isascii() and text.isdecimal() and len(text) != _DAY_DIGITS:
        at = int(text) if len(text) <= len(str(_MILLISECONDS_END)) else _MILLISECONDS_END
        return at if MILLISECONDS_MIN <= at < _MILLISECONDS_END else None
    found = _MOMENT.fullmatch(text.upper())
    return None if found is None else _of_moment(found)


def _of_moment(found: "re.Match[str]") -> int | None:
    fraction = (found["fraction"] or "").ljust(3, "0")
    try:
        named = datetime.fromisoformat(re.sub(r"[.,]\d+", "", found[0]))
        since_1970 = (named if named.tzinfo else named.replace(tzinfo=UTC)) - _EPOCH
    except (ValueError, OverflowError):
        return None
    # What is stored has no parts of milliseconds. So what is at or after a part of one is at or after the next whole one.
    at = since_1970 // _MILLISECOND + int(fraction[:3]) + (int(fraction[3:] or 0) > 0)
    return at if at >= 0 else None
