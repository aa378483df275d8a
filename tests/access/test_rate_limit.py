"""The wait that a refusal names is long enough, and never too short to be worth waiting."""

import asyncio

import pytest

from services.access import rate_limit
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


def test_an_address_that_goes_on_although_it_is_refused_waits_for_its_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "LINGER_SECONDS", 30.0)
    clock = Clock()

    async def lingers(limit: AddressLimit, address: str, calls: int) -> bool:
        try:
            async with asyncio.timeout(0.01):
                await limit.linger(address, calls)
        except TimeoutError:
            return True
        return False

    async def story() -> None:
        limit = AddressLimit(200.0, clock=clock)
        assert not await lingers(limit, "10.0.0.1", 99)
        assert await lingers(limit, "10.0.0.1", 1)
        assert await lingers(limit, "10.0.0.1", 1)
        assert not await lingers(limit, "10.0.0.2", 1)
        clock.now += SHUN_SECONDS
        assert not await lingers(limit, "10.0.0.1", 1)
        monkeypatch.setattr(rate_limit, "HELD_MAX", 0)
        assert not await lingers(limit, "10.0.0.1", 200)
        assert limit.is_shunned("10.0.0.1")

    asyncio.run(story())


def test_an_address_that_is_refused_now_and_then_does_not_wait() -> None:
    clock = Clock()

    async def story() -> None:
        limit = AddressLimit(1.0, clock=clock)
        for _ in range(500):
            clock.now += 0.02
            await limit.linger("10.0.0.1")
        assert not limit.is_shunned("10.0.0.1")

    asyncio.run(story())


def test_a_call_that_is_worth_several_counts_as_several() -> None:
    limit = AddressLimit(5.0, clock=lambda: 100.0)
    limit.check("10.0.0.1", 5)
    limit.check("10.0.0.1", 5)
    with pytest.raises(TooFast):
        limit.check("10.0.0.1")


def test_what_has_cost_more_than_is_left_is_waited_for_by_the_next_calls() -> None:
    clock = Clock()
    limit = RateLimit(5.0, clock=clock)
    for _ in range(3):
        limit.charge("10.0.0.1", 9)
    with pytest.raises(TooFast) as refusal:
        limit.check("10.0.0.1")
    assert refusal.value.fields["retry_seconds"] == pytest.approx(2.2)  # It owes at most as much as a burst.
    limit.check("10.0.0.2")
    clock.now += 2.2
    limit.check("10.0.0.1")
