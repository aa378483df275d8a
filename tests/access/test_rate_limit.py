"""The wait that a refusal names is long enough, and never too short to be worth waiting."""

from contextlib import suppress

import pytest

from services.access.rate_limit import SHUN_SECONDS, AddressLimit, RateLimit
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


def test_an_address_that_goes_on_although_it_is_refused_is_shunned_for_a_while() -> None:
    now = 100.0
    limit = AddressLimit(200.0, lambda: now)
    for _ in range(400):
        limit.check("10.0.0.1")
    for _ in range(99):
        with pytest.raises(TooFast):
            limit.check("10.0.0.1")
    told = [limit.shuns]
    with pytest.raises(TooFast):
        limit.check("10.0.0.1")
    told += [limit.shuns, limit.is_shunned("10.0.0.1"), limit.is_shunned("10.0.0.2")]
    now += SHUN_SECONDS
    told += [limit.shuns, limit.is_shunned("10.0.0.1")]
    assert told == [False, True, True, False, False, False]


def test_an_address_that_is_refused_now_and_then_is_not_shunned() -> None:
    now = 100.0
    limit = AddressLimit(1.0, lambda: now)
    for _ in range(500):
        now += 0.02
        with suppress(TooFast):
            limit.check("10.0.0.1")
    assert not limit.shuns


def test_a_call_that_is_worth_several_counts_as_several() -> None:
    limit = AddressLimit(5.0, lambda: 100.0)
    limit.check("10.0.0.1", 5)
    limit.check("10.0.0.1", 5)
    with pytest.raises(TooFast):
        limit.check("10.0.0.1")
