"""Sizes that a process counts while it works, cheap enough for every command."""

from bisect import bisect_left
from itertools import accumulate

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Bounds for times: from a quick commit to a caller who has given up."""
NUMBERS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)


class Spread:
    """How large things were: how many of them lie below each of some bounds, and what all of them add up to."""

    __slots__ = ("_bounds", "_counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds, self._counts, self.total = bounds, [0] * (len(bounds) + 1), 0.0

    def add(self, size: float) -> None:
        """Count one more."""
        # Every command passes here: no lock, no label, no new object.
        self._counts[bisect_left(self._bounds, size)] += 1
        self.total += size

    @property
    def buckets(self) -> list[tuple[str, float]]:
        """For each bound, how many were at most so large; the last bound is that of all."""
        bounds = [*map(str, self._bounds), "+Inf"]
        return [(bound, float(count)) for bound, count in zip(bounds, accumulate(self._counts), strict=True)]
