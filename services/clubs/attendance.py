"""Attendance: who played on which day. A day of a club begins at six in the morning, so that a long evening is one evening."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from domain.clubs.answers import Attendance, Attendee, Evening, Season
from services.clubs.club import Club
from services.clubs.refusals import TimeZoneUnknown

DAY_BEGINS_HOUR = 6
_HOUR_SECONDS = 3_600
_ZONE_LENGTH_MAX = 64


def attendance_of(club: Club, season: Season | None, rows: Iterable[Any]) -> Attendance:
    """The attendance in some games, given in the order of their ends."""
    games, came = Counter[str](), Counter[str]()
    evenings: dict[str, tuple[int, dict[str, None]]] = {}
    zone = _zone_or_utc(club.time_zone)
    for row in rows:
        people = [one for one, kind in zip(row["player_ids"], row["kinds"], strict=True) if kind == "human"]
        day = day_of(row["ended_at"], zone)
        count, present = evenings.get(day, (0, {}))
        evenings[day] = count + 1, present | dict.fromkeys(people)
        games.update(people)
    for _, present in evenings.values():
        came.update(list(present))
    shown = [Evening(day=day, games=count, player_ids=tuple(here)) for day, (count, here) in evenings.items()]
    return Attendance(
        club_id=club.club_id,
        season=season,
        time_zone=club.time_zone,
        evenings=tuple(sorted(shown, key=lambda evening: evening.day, reverse=True)),
        attendees=_attendees(club, came, games),
    )


def day_of(at: int, zone: tzinfo) -> str:
    """The day of a club that a moment belongs to."""
    return datetime.fromtimestamp(at / 1_000 - DAY_BEGINS_HOUR * _HOUR_SECONDS, zone).date().isoformat()


def check_zone(name: str) -> None:
    """Refuse a time zone that this server does not know."""
    if len(name) > _ZONE_LENGTH_MAX or _zone(name) is None:
        raise TimeZoneUnknown(time_zone=name)


def _zone_or_utc(name: str) -> tzinfo:
    # The club may have been founded at a server that knew the zone.
    return _zone(name) or UTC


def _zone(name: str) -> tzinfo | None:
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def _attendees(club: Club, came: Counter[str], games: Counter[str]) -> tuple[Attendee, ...]:
    everybody = dict.fromkeys((*came, *club.members))
    attendees = [
        Attendee(
            player_id=player_id,
            name=club.names[player_id],
            is_member=player_id in club.members,
            evenings=came[player_id],
            games=games[player_id],
        )
        for player_id in everybody
    ]
    return tuple(sorted(attendees, key=lambda one: (-one.evenings, -one.games, one.name, one.player_id)))
