"""Exports of the games of a club, which go on where the one before ended, as those of all games do.

A game is there once the history and the statistics have it. Both fill each lane in the order of the ends of games. So
what is there of a lane is all up to the last end of a game that both have.
"""

from collections.abc import Sequence
from typing import Any

import asyncpg

from services.access.sight import Sight
from services.archive.exports import Course, CourseReader, Form, bounds
from services.clubs.club_games import ClubGames, query_of_games


class ClubExports(CourseReader[ClubGames]):
    """Exports of the games of clubs. The caller has checked that the reader is a member."""

    async def _ends(self, wanted: ClubGames, sight: Sight) -> Sequence[int]:
        sql = query_of_games("club_export_ends")
        return list(await self._pool.fetchval(sql, *wanted.parameters(sight), self._lanes))

    async def _rows(
        self, wanted: ClubGames, sight: Sight, course: Course, form: Form, limit: int
    ) -> "list[asyncpg.Record]":
        asked = *wanted.parameters(sight), *(course.place or (None, None)), *bounds(course)
        return await self._pool.fetch(query_of_games("list_club_records"), *asked, form, limit)

    def _key(self, wanted: ClubGames) -> Any:
        return "club", wanted.club.club_id, wanted.number
