"""Reading clubs. This needs no key: the code of a club is the only secret, and nobody reads it here."""

from typing import Any

import asyncpg

from domain.clubs.answers import Attendance, ClubListing, Season, SeasonTable
from domain.naming import is_id
from infra.events.mapping import read_without_keys
from infra.postgres.event_reader import EventReader
from infra.postgres.queries import query
from infra.workers.meter import touched
from services.access.sight import Sight
from services.archive.archive import Place, Records, part_of
from services.clubs.attendance import attendance_of
from services.clubs.club import Club, club_of
from services.clubs.club_events import CLUB_TOPICS, club_stream
from services.clubs.refusals import NoSuchClub, NoSuchSeason
from services.clubs.season_table import standings_of

ALL_GAMES = 0
"""Instead of the number of a season: all games since the club was founded."""


class ClubReader:
    """The clubs of a store, as far as the caller may see them."""

    def __init__(self, store: EventReader, pool: "asyncpg.Pool[Any]") -> None:
        self._store, self._pool = store, pool

    async def clubs(self, sight: Sight) -> list[ClubListing]:
        """The clubs that the caller is a member of."""
        rows = await self._pool.fetch(query("list_clubs"), sight.caller.player_id)
        return [ClubListing(**row) for row in rows]

    async def club(self, club_id: str, sight: Sight) -> Club:
        """A club; refused if the caller is no member. It is read from its events, so it is never out of date."""
        stored = await self._store.read_stream(club_stream(club_id)) if is_id(club_id) else []
        touched(len(stored))
        club = club_of(club_id, [read_without_keys(one.topic, one.state, CLUB_TOPICS)[0] for one in stored])  # type: ignore[misc]  # these topics are those of clubs
        if club is None or not sight.sees_club(club.members):
            raise NoSuchClub(club_id=club_id)
        return club

    async def season_table(self, club_id: str, number: int | None, sight: Sight) -> SeasonTable:
        """The table of a season: of the newest if there is no number."""
        club = await self.club(club_id, sight)
        season = season_of(club, number)
        asked = _parameters(club, season, sight)
        async with (
            self._pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            rows = await connection.fetch(_of_games("club_standings"), *asked)
            games = await connection.fetchval(_of_games("count_club_games"), *asked)
        return SeasonTable(club_id=club_id, season=season, games=games, standings=standings_of(club, rows))

    async def attendance(self, club_id: str, number: int | None, sight: Sight) -> Attendance:
        """Who played on which day of a season."""
        club = await self.club(club_id, sight)
        season = season_of(club, number)
        rows = await self._pool.fetch(_of_games("club_attendance"), *_parameters(club, season, sight))
        touched(len(rows))
        return attendance_of(club, season, rows)

    async def records_in_part(
        self, club_id: str, number: int | None, sight: Sight, after: Place | None, limit: int
    ) -> Records:
        """The next records of a season for a part of an export, the oldest end first, and whether more may follow."""
        club = await self.club(club_id, sight)
        asked = _parameters(club, season_of(club, number), sight)
        rows = await self._pool.fetch(_of_games("list_club_records"), *asked, *(after or (None, None)), limit)
        return part_of([(Place(row["ended_at"], row["game_id"]), row["record"]) for row in rows], limit)


def season_of(club: Club, number: int | None) -> Season | None:
    """A season by its number, the newest without one; None for all games."""
    if number == ALL_GAMES:
        return None
    found = [season for season in club.seasons if number in {None, season.number}]
    if not found:
        raise NoSuchSeason(season=number)
    return found[-1]


def _of_games(name: str) -> str:
    """A query over the games of a club."""
    return query(name).replace("{games}", query("club_games"))


def _parameters(club: Club, season: Season | None, sight: Sight) -> tuple[Any, ...]:
    since, until = (0, None) if season is None else (season.started_at, season.ended_at)
    return club.club_id, sight.now, since, until, club.counts_bots
