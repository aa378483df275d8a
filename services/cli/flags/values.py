"""The values of flags: counts, times, rates and moments."""

import argparse
import math
import sys

from infra.postgres.lanes import LANES_MAX
from services.archive.moments import milliseconds_of

COUNT_MAX = 2**31 - 1
"""What the wire has room for."""


def count(text: str) -> int:
    """A count: a whole number from 1 on."""
    return _whole(text, 1)


def count_or_none(text: str) -> int:
    """A count that may be 0, for none."""
    return _whole(text, 0)


def processes(text: str) -> int:
    """A number of processes: each has a lane to keep, and a store has at most 64."""
    if not text.isascii() or not text.isdigit() or len(text) > len(str(LANES_MAX)) or not 1 <= int(text) <= LANES_MAX:
        raise argparse.ArgumentTypeError(f"a whole number from 1 to {LANES_MAX} is needed, not {text!r}")
    return int(text)


def seconds(text: str) -> float:
    """A short time: any number of seconds from 0 to an hour."""
    return _number(text, 3_600, "a number of seconds from 0 to 3600")


def hours(text: str) -> float:
    """A long time: any number of hours from 0 to a year."""
    return _number(text, 8_760, "a number of hours from 0 to 8760")


def rate(text: str) -> float:
    """A rate: any number per second from 0 on."""
    return _number(text, sys.float_info.max, "a number from 0 on")


def moment(text: str) -> int:
    """A day or a moment, by ISO 8601 or in milliseconds, as milliseconds since 1970; in UTC unless it names a zone."""
    at = milliseconds_of(text)
    if at is None:
        raise argparse.ArgumentTypeError(
            "a date such as 2026-01-31, a time such as 2026-01-31T18:00:00Z or milliseconds since 1970 is needed,"
            f" from 1970 on, not {text!r}"
        )
    return at


def _whole(text: str, least: int) -> int:
    digits = len(str(COUNT_MAX))
    if not text.isascii() or not text.isdigit() or len(text) > digits or not least <= int(text) <= COUNT_MAX:
        raise argparse.ArgumentTypeError(f"a whole number from {least} to {COUNT_MAX} is needed, not {text!r}")
    return int(text)


def _number(text: str, most: float, needed: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= most:
        raise argparse.ArgumentTypeError(f"{needed} is needed, not {text!r}")
    return number
