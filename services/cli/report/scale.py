"""Scales: where a value lies on an axis, in hundredths of its length, and which values are written beside it.

The same rules as those of the page in a browser (`services/web/page/charts/scale.js`).
"""

from collections.abc import Iterable
from math import ceil, floor, isclose, log10
from typing import Literal

from domain.values import Value

Kind = Literal["number", "whole", "share"]
"""A `share` goes from 0 to 1 and is written in per cent."""

_NEARLY = 1e-9


class Axis(Value, frozen=True):
    """What an axis shows; without `low` or `high` it ends at a round value beyond the last one."""

    label: str
    kind: Kind = "number"
    low: float | None = None
    high: float | None = None
    ticks: int = 5
    snug: bool = False
    """Whether it ends at the values, and not at ticks."""


class Scale(Value, frozen=True):
    """An axis with its ends and its ticks."""

    axis: Axis
    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Where a value lies, from 0 to 100."""
        return rounded(100 * (value - self.low) / (self.high - self.low))

    def written(self, value: float) -> str:
        """A value as it is written beside the axis."""
        return f"{100 * value:.3g} %" if self.axis.kind == "share" else f"{value:,.4g}"


def scale_of(axis: Axis, values: Iterable[float]) -> Scale:
    """The scale of an axis for these values."""
    known = sorted(values) or [0.0, 1.0]
    low = known[0] if axis.low is None else axis.low
    high = known[-1] if axis.high is None else axis.high
    if not low < high:
        low, high = (low, low + 1) if axis.low is not None else (low - 1, high + 1)
    step = nice_step(high - low, axis.ticks, whole=axis.kind == "whole")
    if not axis.snug:
        low = low if axis.low is not None else floor(low / step + _NEARLY) * step
        high = high if axis.high is not None else ceil(high / step - _NEARLY) * step
    first, last = ceil(low / step - _NEARLY), floor(high / step + _NEARLY)
    ticks = (float(f"{index * step:.12g}") for index in range(first, last + 1))
    return Scale(axis, low, high, tuple(0.0 if isclose(tick, 0.0, abs_tol=step / 1e6) else tick for tick in ticks))


def nice_step(span: float, wanted: int, *, whole: bool = False) -> float:
    """One, two or five times a power of ten, so that about as many steps as wanted lie in a range."""
    rough = span / max(1, wanted)
    power = 10.0 ** floor(log10(rough))
    step = next((one for one in (1, 2, 5) if one * power >= rough * 0.999), 10) * power
    return max(1.0, round(step)) if whole else step


def rounded(value: float) -> float:
    """A place with two decimals, which is finer than any screen."""
    return round(value, 2)
