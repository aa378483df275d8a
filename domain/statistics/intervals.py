"""How much a number says: rates, means and expectations with the interval that chance leaves them."""

from math import sqrt

from domain.statistics.facts import ONE
from domain.values import Value

Z = 1.959963984540054
"""So many standard deviations to both sides hold 95 % of a normal distribution."""


class Rate(Value, frozen=True):
    """How many out of how many, with the Wilson interval of 95 %; without any there is no rate."""

    count: int
    out_of: int
    rate: float | None = None
    low: float | None = None
    high: float | None = None


class Mean(Value, frozen=True):
    """The mean of so many numbers, with the normal interval of 95 %, which needs two of them at least."""

    count: int
    mean: float | None = None
    low: float | None = None
    high: float | None = None


class Expectation(Value, frozen=True):
    """What was to be expected, and what came; nineteen times out of twenty chance stays between `low` and `high`."""

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
    # Where the share is 0 or 1 the end of the interval is too, but for the last bit.
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
    """What came beside what was to be expected, from sums in billionths."""
    mean, half = expected / ONE, Z * sqrt(variance / ONE)
    return Expectation(count, mean, actual, mean - half, mean + half)
