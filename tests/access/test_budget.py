"""Budgets: callers pay afterwards for what they touched, and wait while they owe."""

import pytest

from services.access.budget import Budget
from services.access.payer import payer_of
from services.access.refusals import ReadTooMuch

ANN, BOB = payer_of("ann", "10.0.0.1"), payer_of("bob", "10.0.0.1")
STRANGER = payer_of("", "10.0.0.2")


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_caller_may_spend_ten_seconds_worth_at_once_and_then_waits_as_long_as_told() -> None:
    clock = Clock()
    budget = Budget(100, clock)
    budget.charge(ANN, 1_000)
    budget.check(ANN)
    budget.charge(ANN, 250)
    with pytest.raises(ReadTooMuch) as refused:
        budget.check(ANN)
    assert refused.value.fields["retry_seconds"] == 2.5
    clock.now += 2.4
    with pytest.raises(ReadTooMuch) as refused:
        budget.check(ANN)
    assert refused.value.fields["retry_seconds"] == 0.1
    clock.now += 0.1
    budget.check(ANN)


def test_callers_behind_one_address_share_what_it_may_spend() -> None:
    budget = Budget(100, Clock())
    for number in range(5):
        budget.charge(payer_of(f"player{number}", "10.0.0.1"), 1_000)
    with pytest.raises(ReadTooMuch):
        budget.check(BOB)
    budget.check(payer_of("bob", "10.0.0.3"))


def test_a_caller_without_a_token_pays_as_one_caller() -> None:
    budget = Budget(100, Clock())
    budget.charge(STRANGER, 1_001)
    with pytest.raises(ReadTooMuch):
        budget.check(STRANGER)
    budget.check(payer_of("ann", "10.0.0.2"))


def test_without_a_rate_nobody_waits() -> None:
    budget = Budget(0)
    budget.charge(ANN, 10**9)
    budget.check(ANN)
    assert budget.wait_seconds(ANN) == 0


def test_behind_a_proxy_only_players_pay() -> None:
    budget = Budget(100, Clock(), by_address=False)
    budget.charge(STRANGER, 10**6)
    budget.check(STRANGER)
    budget.charge(ANN, 1_001)
    with pytest.raises(ReadTooMuch):
        budget.check(ANN)
    budget.check(BOB)


def test_what_players_spend_is_not_taken_from_a_stranger_at_the_same_address() -> None:
    budget = Budget(100, Clock())
    for number in range(3):
        budget.charge(payer_of(f"player{number}", "10.0.0.1"), 1_000)
    budget.check(payer_of("", "10.0.0.1"))
