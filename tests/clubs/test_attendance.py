"""A day of a club begins at six in the morning in the club's time zone."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from services.clubs.attendance import day_of


@pytest.mark.parametrize(
    ("zone", "at", "day"),
    [
        ("UTC", "2026-01-31T20:00:00+00:00", "2026-01-31"),
        ("UTC", "2026-02-01T01:30:00+00:00", "2026-01-31"),
        ("UTC", "2026-02-01T06:00:00+00:00", "2026-02-01"),
        ("America/Los_Angeles", "2026-02-01T04:00:00+00:00", "2026-01-31"),
        ("Europe/Berlin", "2026-07-01T03:59:00+00:00", "2026-06-30"),
        ("Europe/Berlin", "2026-07-01T04:00:00+00:00", "2026-07-01"),
    ],
)
def test_an_evening_that_goes_on_after_midnight_is_one_evening(zone: str, at: str, day: str) -> None:
    moment = int(datetime.fromisoformat(at).timestamp() * 1_000)
    assert day_of(moment, UTC if zone == "UTC" else ZoneInfo(zone)) == day
