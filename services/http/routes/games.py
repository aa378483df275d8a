"""Routes about games: lists, records, steps, rounds."""

from typing import Annotated, Any, Literal

from litestar import Request, Response, get
from litestar.enums import MediaType
from litestar.params import PathParameter, QueryParameter
from msgspec import structs

from domain.freshness import CURRENT
from domain.history.record import GameRecord
from domain.rulebooks import BOOKS
from services.archive.bounds import STEPS_MAX, after_of
from services.archive.paging import PAGE_SIZE_DEFAULT
from services.archive.people import check_player
from services.desk.film import Reader as FilmReader
from services.http import jobs
from services.http.admission import SAME_FOR_ALL, Reader
from services.http.answers import (
    GameAnswer,
    GamesPage,
    RoundsAnswer,
    RulebooksAnswer,
    StepShown,
    StepsPage,
    rulebook_answer,
)
from services.http.library import Filter, Seen, Shelf, Who
from services.http.parameters import Everything, GameId, Listing, PageSize, PageToken, Seat, link_to_next, viewpoint_of
from services.http.responses import (
    LINKED,
    OF_GAME,
    OF_PLAYER,
    OF_STEP,
    alternatives,
    answered,
    failures,
    in_body,
    page_of,
    unvarying,
)

NOTATION = "text/plain"
_TAGS = ["games"]
Form = Annotated[
    Literal["json", "notation"] | None,
    QueryParameter(name="format", description="JSON or text notation; without it, the `Accept` header decides."),
]


@get(
    "/rulebooks",
    operation_id="listRulebooks",
    summary="The rulebooks",
    tags=_TAGS,
    responses=failures(),
    opt={SAME_FOR_ALL: True},
)
async def rulebooks() -> Response[RulebooksAnswer]:
    """All rulebooks that this server plays, with their options."""
    return unvarying(RulebooksAnswer(tuple(map(rulebook_answer, BOOKS))))


@get(
    "/games",
    operation_id="listGames",
    summary="Find games",
    tags=_TAGS,
    responses=failures(*OF_PLAYER),
    response_headers=LINKED,
)
async def games(
    *,
    request: "Request[Any, Any, Any]",
    library: Shelf,
    reader: Who,
    sight: Seen,
    wanted: Filter,
    page_size: PageSize = PAGE_SIZE_DEFAULT,
    page_token: PageToken = None,
) -> Response[GamesPage]:
    """Past and running games, the newest first; `since` and `until` are about the time at which a table was set up.

    The `Link` header leads to the next page.
    """
    listing = Listing("games", wanted)
    after = after_of(listing.place(page_token), "page_token")
    freshness = await library.watermarks.of("games")  # Before the read, which then has at least so much.
    # We ask for one more than the page holds: if it comes, there is another page.
    page, more = page_of(await library.archive.games(wanted, sight, page_size + 1, after), page_size)
    if not page:
        await check_player(library.archive, wanted, sight, await library.watermarks.of("games", "statistics"))
    token = listing.token(page[-1].created_at, page[-1].game_id) if more else None
    links = link_to_next(request, page_token=token) if more else {}
    return answered(GamesPage(page, token, in_body(freshness)), reader, headers=links, freshness=freshness)


@get("/games/{game_id:str}", operation_id="getGame", summary="A game", tags=_TAGS, responses=failures(*OF_GAME))
async def game(game_id: GameId, library: Shelf, reader: Who, sight: Seen) -> Response[GameAnswer]:
    """A game as lists show it: its players, its phase and its result."""
    listing = await library.desk.ask(reader.payer, game_id, jobs.game, game_id, sight)
    return answered(GameAnswer(**structs.asdict(listing)), reader, freshness=CURRENT)


@get(
    "/games/{game_id:str}/record",
    operation_id="getRecord",
    summary="The record of a game",
    tags=_TAGS,
    operation_class=alternatives(NOTATION),
    responses=failures(*OF_GAME),
)
async def record(
    *,
    request: "Request[Any, Any, Any]",
    game_id: GameId,
    library: Shelf,
    reader: Who,
    sight: Seen,
    form: Form = None,
) -> Response[GameRecord]:
    """The whole game if it is over, otherwise the rounds that have ended; as JSON or as text notation."""
    as_text = form == "notation" or (form is None and _prefers_text(request.headers.get("accept", "")))
    made = await library.desk.ask(reader.payer, game_id, jobs.record, game_id, sight, as_text)
    media_type = NOTATION if as_text else MediaType.JSON
    return _answered(made, reader, media_type=media_type, headers={"Vary": "Accept"})


@get(
    "/games/{game_id:str}/steps",
    operation_id="listSteps",
    summary="The steps of a game",
    tags=_TAGS,
    responses=failures(*OF_GAME),
    response_headers=LINKED,
)
async def steps(
    *,
    request: "Request[Any, Any, Any]",
    game_id: GameId,
    library: Shelf,
    reader: Who,
    sight: Seen,
    after: Annotated[int, QueryParameter(ge=0, le=2**31 - 1, description="Only steps after this one.")] = 0,
    page_size: Annotated[
        int, QueryParameter(ge=1, le=STEPS_MAX, description="How many steps the page has at most.")
    ] = STEPS_MAX,
) -> Response[StepsPage]:
    """Every event of a game, with digests and odds, and with the dice that were revealed later."""
    made = await library.desk.ask(reader.payer, game_id, jobs.steps, game_id, sight, after, page_size)
    links = link_to_next(request, after=after + page_size) if after + page_size < made.last else {}
    return _answered(made, reader, headers=links)


@get(
    "/games/{game_id:str}/steps/{version:str}",
    operation_id="getStep",
    summary="A game after a step",
    tags=_TAGS,
    responses=failures(*OF_STEP),
)
async def step(
    *,
    game_id: GameId,
    version: Annotated[
        int, PathParameter(ge=0, le=2**31 - 1, description="The number of a step; 0 is before the first step.")
    ],
    library: Shelf,
    reader: Who,
    sight: Seen,
    seat: Seat = None,
    everything: Everything = False,
) -> Response[StepShown]:
    """The step, and the game after it from the viewpoint that you choose. A running round hides its dice."""
    eyes = FilmReader(game_id, sight, viewpoint_of(seat, everything=everything))
    return _answered(await library.desk.ask(reader.payer, game_id, jobs.step, eyes, version), reader)


@get(
    "/games/{game_id:str}/rounds",
    operation_id="listRounds",
    summary="The rounds of a game",
    tags=["audit"],
    responses=failures(*OF_GAME),
)
async def rounds(game_id: GameId, library: Shelf, reader: Who, sight: Seen) -> Response[RoundsAnswer]:
    """The rounds of a game: their steps, their leaves in the log, and the disputes about them."""
    return _answered(await library.desk.ask(reader.payer, game_id, jobs.rounds, game_id, sight), reader)


def _answered(made: jobs.Made, reader: Reader, **given: Any) -> Response[Any]:
    return answered(made.body, reader, final=made.final, public=made.public, freshness=CURRENT, **given)


def _prefers_text(accept: str) -> bool:
    """Whether plain text comes first in an `Accept` header."""
    first = accept.split(",", maxsplit=1)[0].partition(";")[0].strip().lower()
    return first == "text/plain"


ROUTES = (rulebooks, games, game, record, steps, step, rounds)
