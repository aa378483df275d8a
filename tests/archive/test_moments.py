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


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("2026-01-02T00:00:00.123Z", 123),
        ("2026-01-02T00:00:00,5", 500),
        ("2026-01-02T00:00:00.1230", 123),
        ("2026-01-02T00:00:00.1231", 124),
        ("2026-01-02T00:00:00.9999999", 1_000),
        ("2026-01-02T00:00:00.000000001", 1),
        ("20260102T000000.000001+0000", 1),
        ("2026-01-02 00:00:01", 1_000),
        ("2026-01-02t00:00:01z", 1_000),
    ],
)
def test_no_part_of_a_time_is_cut_off_and_a_part_of_a_millisecond_counts_as_a_whole_one(
    text: str, milliseconds: int
) -> None:
    """What is stored has whole milliseconds, so this keeps `at or after` and `before` true."""
    assert milliseconds_of(text) == DAY + milliseconds


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
        "2026-01-02+02:00",
        "2026-01-02-02:00",
        "2026-01-02Z",
        "2026-01-02x10:00",
        "2026-01-02T10.5",
        "2026-01-02T10:00:00.",
    ],
)
def test_what_is_too_small_for_milliseconds_and_no_day_is_no_time(text: str) -> None:
    assert milliseconds_of(text) is None
    with pytest.raises(argparse.ArgumentTypeError, match="a date such as 2026-01-31"):
        moment(text)
