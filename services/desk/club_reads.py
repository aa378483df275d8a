"""Reads of clubs, as jobs: which games count in a club is found out in the games of all its members."""

from domain.clubs.answers import Attendance, Club, ClubListing, SeasonTable
from infra.workers.meter import touched
from services.access.sight import Sight
from services.archive.exports import Course, Form, Part
from services.desk.sources import Sources

GAMES_IN_PART = 32
"""So many games of an export are read at once."""
EXPORTED_FROM = ("history", "statistics")
"""The read models that an export needs."""
_LIST_UNITS = 50
"""What a look into the list of clubs costs."""
_UNITS = 500
"""What a look at the games of all members costs. It grows with the store, but we don't know by how much."""


async def clubs(sources: Sources, sight: Sight) -> list[ClubListing]:
    """The clubs of the caller."""
    touched(_LIST_UNITS)
    return await sources.clubs.clubs(sight)


async def club(sources: Sources, club_id: str, sight: Sight) -> Club:
    """A club as its members see it."""
    return (await sources.clubs.club(club_id, sight)).answer()


async def season_table(sources: Sources, club_id: str, season: int | None, sight: Sight) -> SeasonTable:
    """The table of a season."""
    touched(_UNITS)
    return await sources.clubs.season_table(club_id, season, sight)


async def attendance(sources: Sources, club_id: str, season: int | None, sight: Sight) -> Attendance:
    """Who played on which day of a season."""
    touched(_UNITS)
    return await sources.clubs.attendance(club_id, season, sight)


async def season_number(sources: Sources, club_id: str, season: int | None, sight: Sight) -> int:
    """The number of a season, of the newest without one. An export names it, so that it stays the same to its end."""
    return (await sources.clubs.games(club_id, season, sight)).number


async def export_begun(sources: Sources, club_id: str, season: int, sight: Sight, after: str) -> Course:
    """What the export of a season will hand out."""
    touched(_UNITS)
    return await sources.club_exports.begin(await sources.clubs.games(club_id, season, sight), sight, after, "after")


async def exported(  # noqa: PLR0917 - the shape of a job
    sources: Sources, club_id: str, season: int, sight: Sight, course: Course, form: Form = "record"
) -> Part:
    """The next games of such an export."""
    touched(_UNITS)
    wanted = await sources.clubs.games(club_id, season, sight)
    return await sources.club_exports.part(wanted, sight, course, form, GAMES_IN_PART)
