"""Counts what a job touches: events decoded, folded or encoded. The caller of the job is charged for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Meter:
    """The count of one job."""

    __slots__ = ("units",)

    def __init__(self) -> None:
        self.units = 0


_METER: ContextVar[Meter | None] = ContextVar("meter", default=None)


@contextmanager
def metered() -> Iterator[Meter]:
    """Count what is touched inside the block, by this task and the tasks that it starts."""
    meter = Meter()
    token = _METER.set(meter)
    try:
        yield meter
    finally:
        _METER.reset(token)


def touched(events: int) -> None:
    """Count events for the job that runs; outside of a job nobody counts."""
    meter = _METER.get()
    if meter is not None:
        meter.units += events
