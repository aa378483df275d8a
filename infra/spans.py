"""Spans: which parts of the program a call goes through, and how long each takes, if an operator asks for them.

Nothing here knows a library: `services/app/tracing.py` sets the tracer, and without one a span costs a look at a
variable. A span has a name that the program chose, and numbers. There is no way to put a text into it, so it can't tell
a secret.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol, TypeAlias

Place: TypeAlias = object
"""Where in a trace something happens; only the tracer knows what it is."""


class Tracer(Protocol):
    """Takes spans."""

    def span(self, name: str, numbers: dict[str, int], *, is_first: bool) -> AbstractContextManager[None]:
        """A span around a block. The first of a trace belongs to no other."""

    def here(self) -> Place | None:
        """The place of the present span; None if there is none."""

    def past(self, name: str, place: Place, seconds: float, numbers: dict[str, int]) -> None:
        """Take a span that ends now and began so long ago, below a place."""

    def begun(self, name: str) -> Callable[[], None]:
        """Begin a span below the present one; returns the function that ends it."""


_NO_SPAN: AbstractContextManager[None] = nullcontext()
_tracer: Tracer | None = None


@contextmanager
def traced_by(tracer: Tracer) -> Iterator[None]:
    """Send all spans of this process to a tracer until the block ends."""
    global _tracer  # noqa: PLW0603 - spans follow a call through every part, and no part is about them
    _tracer = tracer
    try:
        yield
    finally:
        _tracer = None


def span(name: str, *, is_first: bool = False, **numbers: int) -> AbstractContextManager[None]:
    """A span around a block, below the present one unless it is the first of a trace."""
    return _NO_SPAN if _tracer is None else _tracer.span(name, numbers, is_first=is_first)


def here() -> Place | None:
    """The place of the present span, for something that is done for it by another task."""
    return None if _tracer is None else _tracer.here()


def past(name: str, places: Sequence[Place | None], seconds: float, **numbers: int) -> None:
    """Note in each of these places what was done for all of them together, and ends now."""
    if _tracer is not None:
        for place in places:
            if place is not None:
                _tracer.past(name, place, seconds, numbers)


def begun(name: str) -> Callable[[], None] | None:
    """Begin a span below the present one; returns the function that ends it, or None if there is no present one."""
    return None if _tracer is None or _tracer.here() is None else _tracer.begun(name)
