"""Routes about clubs, for their members. Clubs are founded, joined and run over gRPC or Connect."""

from typing import Annotated, Any

from litestar import Response, get
from litestar.params import PathParameter, QueryParameter
from msgspec.structs import replace

from domain.clubs.answers import Attendance, Club, SeasonTable
from domain.freshness import CURRENT, Freshness
from services.access.caller import NOBODY
from services.access.payer import Payer
from services.access.refusals import StreamsTooMany, TokenMissing
from services.archive.exports import Course
from services.archive.refusals import ExportInterrupted
from services.clubs.refusals import NoSuchClub, NoSuchSeason
from services.desk import club_reads
from services.http import jobs
from services.http.admission import Reader
from services.http.allowed_values import ID_PATTERN
from services.http.answers import ClubsAnswer
from services.http.jobs import Exported
from services.http.library import Seen, Shelf, Who
from services.http.record_stream import MEDIA_TYPES, AfterToken, Bulk, FormWanted, record_stream
from services.http.responses import FILED, alternatives, answered, failures, in_body

_TAGS = ["clubs"]
_SEASON_MAX = 2**31 - 1
_OF_CLUB = (TokenMissing, NoSuchClub)
_OF_SEASON = (*_OF_CLUB, NoSuchSeason)

ClubId = Annotated[str, PathParameter(pattern=ID_PATTERN, description="The id of a club.")]
SeasonWanted = Annotated[
    int | None,
    QueryParameter(
        ge=0,
        le=_SEASON_MAX,
        description="The number of a season; 0 for all games. Without it, the newest season.",
        schema_extra={"minimum": 0},  # Litestar forgets a limit of 0 where the parameter may be left out.
    ),
]


@get("/clubs", operation_id="listClubs", summary="Your clubs", tags=_TAGS, responses=failures(TokenMissing))
async def clubs(library: Shelf, reader: Who, sight: Seen) -> Response[ClubsAnswer]:
    """The clubs that you are a member of, in the order in which they were founded. This needs a token.

    A club that you founded or joined a moment ago may be missing.
    """
    payer, freshness = _payer(reader), await library.watermarks.of("clubs")
    found = await library.desk.ask(payer, reader.caller.player_id, club_reads.clubs, sight)
    return answered(ClubsAnswer(tuple(found), in_body(freshness)), reader, freshness=freshness)


@get("/clubs/{club_id:str}", operation_id="getClub", summary="A club", tags=_TAGS, responses=failures(*_OF_CLUB))
async def club(club_id: ClubId, library: Shelf, reader: Who, sight: Seen) -> Response[Club]:
    """A club with its members and seasons. This needs the token of a member; for others the club does not exist."""
    found = await library.desk.ask(_payer(reader), club_id, club_reads.club, club_id, sight)
    return answered(found, reader, freshness=CURRENT)


@get(
    "/clubs/{club_id:str}/table",
    operation_id="getSeasonTable",
    summary="A season table",
    tags=_TAGS,
    responses=failures(*_OF_SEASON),
)
async def season_table(
    club_id: ClubId, library: Shelf, reader: Who, sight: Seen, season: SeasonWanted = None
) -> Response[SeasonTable]:
    """The members of a club, the best first. This needs the token of a member.

    A game counts if it ended with a winner while all people at its table were members, and once everybody may know its end.
    """
    payer, freshness = _payer(reader), await library.watermarks.of("statistics")
    found = await library.desk.ask(payer, club_id, club_reads.season_table, club_id, season, sight)
    return _answered(found, reader, freshness)


@get(
    "/clubs/{club_id:str}/attendance",
    operation_id="getAttendance",
    summary="Who came when",
    tags=_TAGS,
    responses=failures(*_OF_SEASON),
)
async def attendance(
    club_id: ClubId, library: Shelf, reader: Who, sight: Seen, season: SeasonWanted = None
) -> Response[Attendance]:
    """Who played in a club on which day. This needs the token of a member."""
    payer, freshness = _payer(reader), await library.watermarks.of("statistics")
    found = await library.desk.ask(payer, club_id, club_reads.attendance, club_id, season, sight)
    return _answered(found, reader, freshness)


@get(
    "/clubs/{club_id:str}/games",
    operation_id="exportClubGames",
    summary="The games of a club in bulk",
    tags=_TAGS,
    operation_class=alternatives(*MEDIA_TYPES, instead=True),
    responses=failures(*_OF_SEASON, ExportInterrupted, StreamsTooMany, is_tagged=False),
    response_headers=FILED,
)
async def club_games(
    *,
    club_id: ClubId,
    library: Shelf,
    reader: Who,
    sight: Seen,
    season: SeasonWanted = None,
    form: FormWanted = "ndjson",
    after: AfterToken = "",
) -> Response[str]:
    """All games that count in a season, private ones too, each once. This needs the token of a member.

    They come by the time from which on everybody may know how they ended. The header `Resume-Token` is for the next
    export of the same season, which then has only new games. It counts once you have read this export to its end. If the
    export can't be completed, the server breaks the connection, so that nobody takes a part for the whole.
    """
    payer, ask = _payer(reader), library.desk.ask_patiently
    number = await ask(payer, club_id, club_reads.season_number, club_id, season, sight)

    async def begin() -> Course:
        return await ask(payer, club_id, club_reads.export_begun, club_id, number, sight, after)

    async def part(course: Course) -> Exported:
        return await ask(payer, club_id, jobs.exported_of_club, club_id, number, sight, form, course)

    return await record_stream(library, reader, form, Bulk(club_reads.EXPORTED_FROM, begin, part))


def _answered(found: SeasonTable | Attendance, reader: Reader, freshness: Freshness) -> Response[Any]:
    return answered(replace(found, freshness=in_body(freshness)), reader, freshness=freshness)


def _payer(reader: Reader) -> Payer:
    """The payer of a read; refuses a reader without a token, who is a member of nothing."""
    if reader.caller == NOBODY:
        raise TokenMissing
    return reader.payer


ROUTES = (clubs, club, season_table, attendance, club_games)
