"""A short form of the attacks, on one server with default settings: what it must keep can be counted.

The long form, `python -m tests.attacks`, has all attacks and the victim's latencies.
"""

import time
from collections.abc import Iterator

import pytest

from tests.attacks.__main__ import target_of
from tests.attacks.arena import Arena, arena, prepared
from tests.attacks.every import ATTACKS
from tests.attacks.measuring import RESIDENT_KIB_MAX, Memory, Victim, attacked

SAMPLE = ("notation-of-a-long-game", "paused-replays", "garbage-for-health", "half-sent-requests")
"""The last one may get the attacker barred; then none that follows would be let in."""
SECONDS = 0.8
SHARE_MIN = 5
"""The victim gets at least one fifth of the answers that it gets without an attack. Machines that run tests are noisy."""


@pytest.fixture(scope="module")
def found() -> Iterator[Arena]:
    with prepared(games=10, long_events=1_500) as games, arena(games) as started:
        yield started


@pytest.fixture(scope="module")
def victim(found: Arena) -> Iterator[Victim]:
    playing = Victim(found)
    try:
        playing.wait(commands=50)
        yield playing
    finally:
        playing.close()


def test_while_somebody_attacks_the_victim_plays_on_and_nothing_is_lost(found: Arena, victim: Victim) -> None:
    """One test, because a worker that took over some of the attacks would have to prepare a server of its own."""
    for name in SAMPLE:
        assert_that_the_victim_plays_on(found, victim, name)


def assert_that_the_victim_plays_on(found: Arena, victim: Victim, name: str) -> None:
    logged, before = len(found.log()), time.monotonic()
    time.sleep(SECONDS)
    with Memory(found) as memory:
        began = time.monotonic()
        attacked(name, target_of(found, victim), SECONDS)
        ended = time.monotonic()
    time.sleep(SECONDS)
    after = time.monotonic()
    kept = victim.check()

    assert [sample.failure for sample in victim.between(began, ended) if sample.failure] == []
    # What else slows the machine down meanwhile may begin or end with the attack.
    without = min(answers_a_second(victim, before, began), answers_a_second(victim, ended, after))
    assert answers_a_second(victim, began, ended) > without / SHARE_MIN
    assert kept.acknowledged > 10
    assert kept.lost == 0
    assert memory.peak_kib < RESIDENT_KIB_MAX
    assert "Traceback" not in found.log()[logged:]


def answers_a_second(victim: Victim, began: float, ended: float) -> float:
    return len(victim.between(began, ended)) / (ended - began)


def test_every_attack_says_what_it_tries() -> None:
    assert len(ATTACKS) > 30
    assert all((work.__doc__ or "").endswith(".") for work in ATTACKS.values())
