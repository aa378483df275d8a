"""How much a number says: rates, means and expectations, each with the interval that chance explains."""

from math import sqrt

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


def rate_of(count: int, out_of: int) -> Rate:
    """A rate with its interval, which stays between 0 and 1 and is honest with few tries."""
    if not out_of:
        return Rate(count, out_of)
    share, spread = count / out_of, Z * Z / out_of
    middle = share + spread / 2
    half = Z * sqrt(share * (1 - share) / out_of + spread / (4 * out_of))
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    # For a share of 0 or 1 that end of the interval is exactly the share; rounding would miss it by a bit.
    return Rate(count, out_of, share, min(max(low, 0.0), share), max(min(high, 1.0), share))


def mean_of(count: int, total: int, squares: int, unit: int = ONE, squares_unit: int = ONE) -> Mean:
    """A mean with its interval, from a sum and a sum of squares in these units."""
    if not count:
        return Mean(count)
    mean = total / unit / count
    if count == 1:
        return Mean(count, mean)
    variance = max(squares / squares_unit - count * mean * mean, 0.0) / (count - 1)
    half = Z * sqrt(variance / count)
    return Mean(count, mean, mean - half, mean + half)


def expectation_of(count: int, actual: int, expected: int, variance: int) -> Expectation:
    """What happened beside what was expected, from sums in billionths."""
    mean, half = expected / ONE, Z * sqrt(variance / ONE)
    return Expectation(count, mean, actual, mean - half, mean + half)
