"""How much a number says: rates, means and expectations, each with the interval that chance explains."""

from math import inf, sqrt
from typing import NamedTuple

from domain.statistics.facts import ONE
from domain.values import Value

Z = 1.959963984540054
"""A normal distribution has 95 % of its weight within this many standard deviations of its mean."""


class Rate(Value, frozen=True):
    """A share with its 95 % Wilson interval; without any tries, its numbers are None."""

    count: int
    out_of: int
    rate: float | None = None
    low: float | None = None
    high: float | None = None


class Mean(Value, frozen=True):
    """The mean of `count` numbers, with the normal 95 % interval, which needs at least two numbers."""

    count: int
    mean: float | None = None
    low: float | None = None
    high: float | None = None


class Expectation(Value, frozen=True):
    """An expected and an actual number; chance alone stays between `low` and `high` 19 times out of 20."""

    count: int
    expected: float
    actual: int
    low: float
    high: float


def rate_of(count: int, out_of: int, z: float = Z) -> Rate:
    """A rate with its interval, which stays between 0 and 1 and is honest with few tries."""
    if not out_of:
        return Rate(count, out_of)
    share, spread = count / out_of, z * z / out_of
    middle = share + spread / 2
    half = z * sqrt(share * (1 - share) / out_of + spread / (4 * out_of))
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    # For a share of 0 or 1 that end of the interval is exactly the share; rounding would miss it by a bit.
    return Rate(count, out_of, share, min(max(low, 0.0), share), max(min(high, 1.0), share))


class Unit(NamedTuple):
    """The units of sums and of sums of squares, and the bounds that no single number leaves."""

    of_sum: int
    of_squares: int
    low: float = 0.0
    high: float = inf


SHARE = Unit(ONE, ONE, 0.0, 1.0)
"""Shares and chances, in billionths."""
GAIN = Unit(ONE, ONE, -1.0, 1.0)
"""Differences of chances."""
SECONDS = Unit(1_000, 1_000_000)
"""Times in milliseconds."""
COUNT = Unit(1, 1)


def mean_of(count: int, total: int, squares: int, unit: Unit = SHARE) -> Mean:
    """A mean with its interval, which stays within the bounds of the numbers, from a sum and a sum of squares."""
    if not count:
        return Mean(count)
    mean = total / unit.of_sum / count
    if count == 1:
        return Mean(count, mean)
    variance = max(squares / unit.of_squares - count * mean * mean, 0.0) / (count - 1)
    half = Z * sqrt(variance / count)
    # Rounding must not leave the mean outside of its interval.
    return Mean(count, mean, min(max(mean - half, unit.low), mean), max(min(mean + half, unit.high), mean))


def expectation_of(count: int, actual: int, expected: int, variance: int) -> Expectation:
    """What happened beside what was expected, from sums in billionths."""
    mean, half = expected / ONE, Z * sqrt(variance / ONE)
    return Expectation(count, mean, actual, max(mean - half, 0.0), mean + half)  # No sum of ours is negative.
