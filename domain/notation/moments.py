"""Times in words: moments by the calendar in UTC, and how long after the creation of a game something happened.

The domain has no clock and no calendar of its own, so the few lines of arithmetic are here.
"""

import re
from functools import lru_cache

from domain.notation.lines import Unexpected, Words

MOMENT_BEGIN, MOMENT_END = -62_135_596_800_000, 253_402_300_800_000
"""The years 1 and 10000, in milliseconds since 1970: years have four digits."""
_DAY = 86_400_000
_MOMENT = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z", re.ASCII)
_OFFSET = re.compile(r"([+-])(0|[1-9]\d{0,11})\.(\d{3})", re.ASCII)
_VERSION = re.compile(r"@([1-9]\d{0,8})", re.ASCII)
_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def write_moment(at: int) -> str:
    """A moment by ISO 8601, in UTC."""
    if not MOMENT_BEGIN <= at < MOMENT_END:
        raise ValueError("a moment that has no date")
    days, rest = divmod(at, _DAY)
    seconds, milliseconds = divmod(rest, 1_000)
    minutes, second = divmod(seconds, 60)
    return f"{_date(days)}T{minutes // 60:02}:{minutes % 60:02}:{second:02}.{milliseconds:03}Z"


def read_moment(word: str) -> int:
    """A moment from its words."""
    parts = _MOMENT.fullmatch(word)
    if parts is not None:
        year, month, day, hour, minute, second, milliseconds = map(int, parts.groups())
        days = _days_before(year) + sum(_lengths(year)[: month - 1]) + day - 1
        at = days * _DAY + ((hour * 60 + minute) * 60 + second) * 1_000 + milliseconds
        # Written again it must be the same: there is no 30th of February and no 25th hour.
        if MOMENT_BEGIN <= at < MOMENT_END and write_moment(at) == word:
            return at
    raise Unexpected("a time like 2026-01-01T20:15:00.000Z", word)


def write_offset(milliseconds: int) -> str:
    """How long after the creation, in seconds."""
    sign, size = ("-", -milliseconds) if milliseconds < 0 else ("+", milliseconds)
    if size >= MOMENT_END - MOMENT_BEGIN:
        raise ValueError("a time too far from the creation")
    return f"{sign}{size // 1_000}.{size % 1_000:03}"


def take_stamp(words: Words) -> tuple[Words, tuple[int, int] | None]:
    """The words of a line without its stamp, and the stamp: milliseconds after the creation and version."""
    version = _VERSION.fullmatch(words[-2]) if words[1:] else None
    if version is None:
        return words, None
    offset = _OFFSET.fullmatch(words[-1])
    if offset is None or words[-1] == "-0.000":
        raise Unexpected("seconds like +12.500", words[-1])
    milliseconds = int(offset[2]) * 1_000 + int(offset[3])
    return words[:-2], (-milliseconds if offset[1] == "-" else milliseconds, int(version[1]))


@lru_cache(maxsize=1_000)
def _date(days: int) -> str:
    year = 1970 + min(days // 365, days // 366)  # No later than it is.
    while _days_before(year + 1) <= days:
        year += 1
    day, month = days - _days_before(year), 1
    for length in _lengths(year):
        if day < length:
            break
        day, month = day - length, month + 1
    return f"{year:04}-{month:02}-{day + 1:02}"


def _days_before(year: int) -> int:
    """The days from 1970 to the beginning of a year."""
    past = year - 1
    return 365 * (year - 1970) + past // 4 - past // 100 + past // 400 - 477


def _lengths(year: int) -> tuple[int, ...]:
    """The lengths of the months of a year."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return (31, 29, *_MONTHS[2:]) if leap else _MONTHS
