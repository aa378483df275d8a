"""One address uses a part of the loop, and waits for more than that."""

import asyncio
import time

import pytest

from services.access import loop_share
from services.access.loop_share import BURST_SECONDS, SHARE, LoopShare
from tests.access.test_rate_limit import Clock


def test_a_burst_is_free_and_what_is_more_than_that_is_paid_by_waiting() -> None:
    clock = Clock()
    share = LoopShare(clock=clock)
    share.charge("here", BURST_SECONDS)
    assert share.wait_seconds("here") == 0

    share.charge("here", 0.1)
    wait = share.wait_seconds("here")

    assert wait == pytest.approx(0.1 / SHARE)
    assert share.wait_seconds("elsewhere") == 0
    clock.now += wait
    assert share.wait_seconds("here") == pytest.approx(0)


def test_over_time_an_address_that_never_rests_gets_its_share_and_no_more() -> None:
    clock = Clock()
    share, used = LoopShare(clock=clock), 0.0
    while clock.now < 1_010:
        wait = share.wait_seconds("here")
        clock.now += wait or 0.001
        if not wait:
            share.charge("here", 0.004)
            used += 0.004

    assert used == pytest.approx(10 * SHARE + BURST_SECONDS, rel=0.05)


def test_requests_that_begin_together_pay_before_they_cost_anything() -> None:
    """Otherwise a hundred of them would pass in the same moment."""
    share = LoopShare(clock=Clock())
    bills = []
    while not share.wait_seconds("here"):
        bills.append(share.bill("here"))

    assert len(bills) < 50
    for bill in bills:
        bill.close()
    assert share.wait_seconds("here") == 0, "they have cost nothing"


def test_a_request_that_costs_more_than_usual_pays_the_rest_at_once() -> None:
    share = LoopShare(clock=Clock())
    bill = share.bill("here")
    bill.add(BURST_SECONDS)
    bill.add(0.1)

    assert share.wait_seconds("here") == pytest.approx(0.1 / SHARE)
    bill.close()
    assert share.wait_seconds("here") == pytest.approx(0.1 / SHARE)


def test_what_requests_cost_is_learned() -> None:
    share = LoopShare(clock=Clock())
    for _ in range(500):
        bill = share.bill("there")
        bill.add(0.01)
        bill.close()
    bills = 0
    while not share.wait_seconds("here"):
        share.bill("here")
        bills += 1

    assert bills == 6


def test_what_waits_is_done_in_its_order_and_only_as_fast_as_it_is_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_share, "BURST_SECONDS", 0.0)

    async def story() -> list[tuple[int, float]]:
        share, done = LoopShare(), list[tuple[int, float]]()

        def work(number: int) -> None:
            share.charge("here", 0.005)
            done.append((number, time.monotonic()))

        work(0)
        for number in range(1, 10):
            assert not share.admits("here", lambda number=number: work(number))  # type: ignore[misc]
        assert share.admits("there", lambda: None)
        ended = asyncio.Event()
        share.admits("here", ended.set)
        await asyncio.wait_for(ended.wait(), 10)
        return done

    done = asyncio.run(story())

    assert [number for number, _ in done] == [*range(10)]
    assert done[-1][1] - done[0][1] >= 9 * 0.005 / SHARE * 0.99
