"""Routes about clubs, for their members. Clubs are founded, joined and run over gRPC or Connect."""

from typing import Annotated

from litestar import Response, get
from litestar.params import PathParameter, QueryParameter

from domain.clubs.answers import Attendance, Club, SeasonTable
from services.access.caller import NOBODY
from services.access.payer import Payer
from services.access.refusals import TokenMissing
from services.archive.archive import Place
from services.desk import club_reads
from services.http import jobs
from services.http.admission import Reader
from services.http.answers import ClubsAnswer
from services.http.jobs import Exported
from services.http.library import Seen, Shelf, Who
from services.http.parameters import ID_PATTERN
from services.http.record_stream import MEDIA_TYPES, FormWanted, record_stream
from services.http.responses import OF_GAME, alternatives, answered, failures

_TAGS = ["clubs"]
_SEASON_MAX = 2**31 - 1
_NOT_THERE = OF_GAME[1]

ClubId = Annotated[str, PathParameter(pattern=ID_PATTERN, description="The id of a club.")]
SeasonWanted = Annotated[
    int | None,
    QueryParameter(
        ge=0, le=_SEASON_MAX, description="The number of a season; 0 for all games. Without it, the newest season."
    ),
]


@get("/clubs", operation_id="listClubs", summary="Your clubs", tags=_TAGS, responses=failures())
async def clubs(library: Shelf, reader: Who, sight: Seen) -> Response[ClubsAnswer]:
    """The clubs that you are a member of, in the order in which they were founded. This needs a token.

    A club that you founded or joined a moment ago may be missing.
    """
    found = await library.desk.ask(_payer(reader), reader.caller.player_id, club_reads.clubs, sight)
    return answered(ClubsAnswer(tuple(found)), reader)


@get("/clubs/{club_id:str}", operation_id="getClub", summary="A club", tags=_TAGS, responses=failures(_NOT_THERE))
async def club(club_id: ClubId, library: Shelf, reader: Who, sight: Seen) -> Response[Club]:
    """A club with its members and seasons. This needs the token of a member; for others the club does not exist."""
    return answered(await library.desk.ask(_payer(reader), club_id, club_reads.club, club_id, sight), reader)


@get(
    "/clubs/{club_id:str}/table",
    operation_id="getSeasonTable",
    summary="A season table",
    tags=_TAGS,
    responses=failures(_NOT_THERE),
)
async def season_table(
    club_id: ClubId, library: Shelf, reader: Who, sight: Seen, season: SeasonWanted = None
) -> Response[SeasonTable]:
    """The members of a club, the best first. This needs the token of a member.

    A game counts if it ended with a winner while all people at its table were members, and once everybody may know its end.
    """
    asked = club_id, season, sight
    return answered(await library.desk.ask(_payer(reader), club_id, club_reads.season_table, *asked), reader)


@get(
    "/clubs/{club_id:str}/attendance",
    operation_id="getAttendance",
    summary="Who came when",
    tags=_TAGS,
    responses=failures(_NOT_THERE),
)
async def attendance(
    club_id: ClubId, library: Shelf, reader: Who, sight: Seen, season: SeasonWanted = None
) -> Response[Attendance]:
    """Who played in a club on which day. This needs the token of a member."""
    asked = club_id, season, sight
    return answered(await library.desk.ask(_payer(reader), club_id, club_reads.attendance, *asked), reader)


@get(
    "/clubs/{club_id:str}/games",
    operation_id="exportClubGames",
    summary="The games of a club in bulk",
    tags=_TAGS,
    operation_class=alternatives(*MEDIA_TYPES, instead=True),
    responses=failures(_NOT_THERE, is_tagged=False),
)
async def club_games(  # noqa: PLR0917 - the parameters of a route
    club_id: ClubId, library: Shelf, reader: Who, sight: Seen, season: SeasonWanted = None, form: FormWanted = "ndjson"
) -> Response[str]:
    """All games that count in a season, private ones too, in the order in which they ended. This needs the token of a member.

    If the export can't be completed, the server breaks the connection, so that nobody takes a part for the whole.
    """
    payer = _payer(reader)

    async def part_after(after: Place | None) -> Exported:
        asked = club_id, season, sight, form, after
        return await library.desk.ask_patiently(payer, club_id, jobs.exported_of_club, *asked)

    return await record_stream(library, reader, form, part_after)


def _payer(reader: Reader) -> Payer:
    """The payer of a read; refuses a reader without a token, who is a member of nothing."""
    if reader.caller == NOBODY:
        raise TokenMissing
    return reader.payer


ROUTES = (clubs, club, season_table, attendance, club_games)
