"""The wait that a refusal names is long enough, and never too short to be worth waiting."""

import pytest

from services.access.rate_limit import RateLimit
from services.access.refusals import TooFast


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("rate", [0.3, 1.0, 7.0, 200.0, 2_000.0, 33_333.0])
def test_after_the_wait_that_was_named_the_call_is_admitted(rate: float) -> None:
    clock = Clock()
    limit = RateLimit(rate, clock=clock)
    for _ in range(50):
        while True:
            try:
                limit.check("ann")
            except TooFast as refusal:
                wait = refusal.fields["retry_seconds"]
                break
            clock.now += 0.1 / rate
        assert wait >= 0.05
        clock.now += wait
        limit.check("ann")
