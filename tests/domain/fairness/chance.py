"""Whether numbers look evenly spread: Pearson's chi-square against its 99.9th percentile.

The samples of these tests come from fixed keys, so a test that passes once passes always.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from math import sqrt

_Z_999 = 3.0902
"""The 99.9th percentile of the normal distribution."""


def is_even(sample: Iterable[Hashable], cells: int) -> bool:
    """Whether each of the possible values, `cells` in number, comes about equally often."""
    counts = Counter(sample)
    expected = counts.total() / cells
    assert expected >= 5, "too few for the test to mean anything"
    assert len(counts) <= cells
    unseen = cells - len(counts)
    return sum((count - expected) ** 2 / expected for count in counts.values()) + unseen * expected < _limit(cells - 1)


def _limit(freedom: int) -> float:
    """The 99.9th percentile of chi-square, by Wilson and Hilferty's approximation."""
    share = 2 / (9 * freedom)
    return float(freedom * (1 - share + _Z_999 * sqrt(share)) ** 3)
