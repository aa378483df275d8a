"""Reading clubs. This needs no key: the code of a club is the only secret, and nobody reads it here."""

from typing import Any

import asyncpg

from domain.clubs.answers import Attendance, ClubListing, SeasonTable
from domain.naming import is_id
from infra.events.mapping import read_without_keys
from infra.postgres.event_reader import EventReader
from infra.postgres.queries import query
from infra.workers.meter import touched
from services.access.sight import Sight
from services.clubs.attendance import attendance_of
from services.clubs.club import Club, club_of
from services.clubs.club_events import CLUB_TOPICS, club_stream
from services.clubs.club_games import ClubGames, games_of, query_of_games
from services.clubs.refusals import NoSuchClub
from services.clubs.season_table import standings_of


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

    async def games(self, club_id: str, number: int | None, sight: Sight) -> ClubGames:
        """The games of a season, of the newest without a number; refused if the caller is no member."""
        return games_of(await self.club(club_id, sight), number)

    async def season_table(self, club_id: str, number: int | None, sight: Sight) -> SeasonTable:
        """The table of a season."""
        wanted = await self.games(club_id, number, sight)
        asked = wanted.parameters(sight)
        async with (
            self._pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            rows = await connection.fetch(query_of_games("club_standings"), *asked)
            games = await connection.fetchval(query_of_games("count_club_games"), *asked)
        standings = standings_of(wanted.club, rows)
        return SeasonTable(club_id=club_id, season=wanted.season, games=games, standings=standings)

    async def attendance(self, club_id: str, number: int | None, sight: Sight) -> Attendance:
        """Who played on which day of a season."""
        wanted = await self.games(club_id, number, sight)
        rows = await self._pool.fetch(query_of_games("club_attendance"), *wanted.parameters(sight))
        touched(len(rows))
        return attendance_of(wanted.club, wanted.season, rows)
