"""Days and moments as people write them."""

import argparse

import pytest

from services.archive.moments import milliseconds_of
from services.cli.flags.values import moment

DAY = 1_767_312_000_000


@pytest.mark.parametrize(
    "text",
    ["2026-01-02", "20260102", "2026-W01-5", "2026-01-02T00:00:00Z", "2026-01-02T02:00+02:00", "1767312000000"],
)
def test_a_time_is_read_by_iso_8601_or_in_milliseconds(text: str) -> None:
    assert milliseconds_of(text) == moment(text) == DAY


def test_digits_are_milliseconds_even_if_they_could_be_a_day_and_a_time() -> None:
    assert milliseconds_of("2026010200000") == 2_026_010_200_000


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "2026",
        "202601",
        "20261302",
        "1767312000",
        "99999999999",
        "-1767312000000",
        "9" * 16,
        "9" * 5_000,
        "1969-12-31",
    ],
)
def test_what_is_too_small_for_milliseconds_and_no_day_is_no_time(text: str) -> None:
    assert milliseconds_of(text) is None
    with pytest.raises(argparse.ArgumentTypeError, match="a date such as 2026-01-31"):
        moment(text)
