"""Intervals: known values, and that they hold what they promise."""

from random import Random

import pytest

from domain.statistics.facts import ONE
from domain.statistics.intervals import GAIN, SECONDS, Mean, Rate, Unit, expectation_of, mean_of, rate_of


def test_a_rate_has_the_interval_of_wilson() -> None:
    """The values are those of the textbook example, 8 of 10."""
    rate = rate_of(8, 10)

    assert rate.rate == 0.8
    assert rate.low == pytest.approx(0.4901625)
    assert rate.high == pytest.approx(0.9433178)


def test_without_tries_there_is_no_rate_and_without_numbers_no_mean() -> None:
    assert rate_of(0, 0) == Rate(0, 0, None, None, None)
    assert mean_of(0, 0, 0) == Mean(0, None, None, None)
    assert mean_of(1, ONE // 2, ONE // 4) == Mean(1, 0.5, None, None)


@pytest.mark.parametrize("out_of", [1, 2, 7, 1_000_000])
def test_a_rate_lies_within_its_interval_and_the_interval_between_0_and_1(out_of: int) -> None:
    for count in {0, 1, out_of // 2, out_of - 1, out_of}:
        rate = rate_of(count, out_of)
        assert rate.rate is not None
        assert rate.low is not None
        assert rate.high is not None
        assert 0 <= rate.low <= rate.rate <= rate.high <= 1


def test_a_mean_has_the_interval_of_its_sample() -> None:
    """Of 1, 2, 3 and 4 the variance is 5/3, so the standard error is the root of 5/12."""
    numbers = [1, 2, 3, 4]
    mean = mean_of(4, sum(numbers) * ONE, sum(number * number for number in numbers) * ONE, Unit(ONE, ONE))

    assert mean.mean == 2.5
    assert mean.high == pytest.approx(2.5 + 1.959964 * (5 / 12) ** 0.5)
    assert mean.low == pytest.approx(2.5 - 1.959964 * (5 / 12) ** 0.5)


def test_the_interval_of_a_mean_stays_within_the_bounds_of_its_numbers() -> None:
    """Brier scores of 0 and 1 alone: the normal interval around their mean would reach beyond both ends."""
    few = mean_of(3, 2 * ONE, 2 * ONE)
    gains = mean_of(2, 0, 2 * ONE, GAIN)
    waits = mean_of(2, 1_000, 1_000_000, SECONDS)

    assert (few.mean, few.high) == (2 / 3, 1.0)
    assert few.low is not None
    assert 0 <= few.low < 2 / 3
    assert (gains.low, gains.mean, gains.high) == (-1.0, 0.0, 1.0)
    assert waits.low == 0


def test_chance_alone_stays_within_an_expectation_nineteen_times_out_of_twenty() -> None:
    chance, within = Random(3), 0
    odds = [chance.random() for _ in range(60)]
    expected, variance = sum(odds), sum(one * (1 - one) for one in odds)
    for _ in range(2_000):
        actual = sum(chance.random() < one for one in odds)
        found = expectation_of(len(odds), actual, round(expected * ONE), round(variance * ONE))
        within += found.low <= found.actual <= found.high

    assert 0.93 < within / 2_000 < 0.97
