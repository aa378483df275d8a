"""Reads of clubs, as jobs: which games count in a club is found out in the games of all its members."""

from domain.clubs.answers import Attendance, Club, ClubListing, SeasonTable
from infra.workers.meter import touched
from services.access.sight import Sight
from services.archive.archive import Place, Records
from services.desk.sources import Sources

RECORDS_IN_PART = 32
"""So many records of an export are made at once."""
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


async def records(sources: Sources, club_id: str, season: int | None, sight: Sight, after: Place | None) -> Records:
    """Some records of a season, each with its place, and whether more may follow."""
    touched(_UNITS)
    return await sources.clubs.records_in_part(club_id, season, sight, after, RECORDS_IN_PART)
