"""Clubs as tables for a person."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from rich.box import SIMPLE_HEAD
from rich.table import Column, Table
from rich.text import Text

from domain.clubs.answers import Attendance, Club, ClubListing, Season, SeasonTable, Standing
from domain.statistics.intervals import Rate
from services.cli.terminal import printable

_EVENINGS_MAX = 10
"""So many evenings fit beside the names; `--json` has all of them."""


def list_table(clubs: Sequence[ClubListing]) -> Table:
    """The clubs of a player."""
    table = _table("Your clubs", "club", "name", "members", "since")
    for club in clubs:
        table.add_row(club.club_id, printable(club.name), f"{club.members:,}", _day(club.founded_at))
    return table


def club_tables(club: Club, code: str) -> Iterator[Table | Text]:
    """A club with its members and seasons, and its code if there is one."""
    bots = "games with bots count" if club.counts_bots else "games with bots do not count"
    yield Text(f"{printable(club.name)}  {club.club_id}, {printable(club.time_zone)}, {bots}")
    if code:
        yield Text(f"Others join with: liarsdice club join {club.club_id} {code}")
    members = _table("Members", "name", "player", "since", "")
    for member in club.members:
        role = "organiser" if member.player_id == club.organiser_id else ""
        members.add_row(printable(member.name), member.player_id, _day(member.joined_at), role)
    yield members
    seasons = _table("Seasons", "", "name", "from", "to")
    for season in club.seasons:
        seasons.add_row(str(season.number), printable(season.name), _day(season.started_at), _day(season.ended_at))
    yield seasons


def season_tables(found: SeasonTable) -> Iterator[Table | Text]:
    """The table of a season."""
    games = "1 game" if found.games == 1 else f"{found.games:,} games"
    columns = ("", "player", "points", "of", "games", "won", "95 %", "places", "best decisions")
    table = _table(f"{_title(found.season)}: {games}", *columns)
    for one in found.standings:
        table.add_row(*_row(one))
    yield table
    yield Text("Two points for every player who finished behind you, one for every player who shares your place.")


def attendance_tables(found: Attendance) -> Iterator[Table | Text]:
    """Who came, and on which of the last evenings."""
    shown = found.evenings[:_EVENINGS_MAX][::-1]
    table = _table(f"{_title(found.season)}: attendance", "player", "evenings", "games", *(one.day for one in shown))
    for person in found.attendees:
        there = ("x" if person.player_id in evening.player_ids else "" for evening in shown)
        name = _name(person.name, is_member=person.is_member)
        table.add_row(name, f"{person.evenings:,}", f"{person.games:,}", *there)
    yield table
    yield Text(f"A day begins at six in the morning ({printable(found.time_zone)}).")


def _row(one: Standing) -> tuple[str, ...]:
    places = ", ".join(f"{place.games} x {place.place}." for place in one.places)
    interval = "" if one.wins.low is None or one.wins.high is None else f"{one.wins.low:.0%} to {one.wins.high:.0%}"
    return (
        f"{one.position}.",
        _name(one.name, is_member=one.is_member),
        f"{one.points:,}",
        f"{one.points_possible:,}",
        f"{one.games:,}",
        f"{one.wins.count:,}",
        interval,
        places,
        _share(one.best_decisions),
    )


def _share(rate: Rate) -> str:
    return "" if rate.rate is None else f"{rate.rate:.0%}"


def _name(name: str, *, is_member: bool) -> str:
    return printable(name) if is_member else f"{printable(name)} (left)"


def _title(season: Season | None) -> str:
    return "All games" if season is None else printable(season.name)


def _day(at: int | None) -> str:
    return "" if at is None else datetime.fromtimestamp(at / 1_000, UTC).date().isoformat()


def _table(title: str, *columns: str) -> Table:
    texts = {"player", "name", "club", "places", "since", "from", "to"}
    made = [Column(name, justify="left" if name in texts else "right", no_wrap=True) for name in columns]
    return Table(*made, title=title, title_justify="left", box=SIMPLE_HEAD)
