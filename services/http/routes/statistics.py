"""Routes about statistics: ratings, leaderboards, head to head. docs/reference/statistics.md defines each number."""

from typing import Annotated, Any

from litestar import Request, Response, get
from litestar.params import QueryParameter
from msgspec.structs import replace

from domain.commands import Kind
from domain.freshness import Freshness
from domain.statistics.answers import HeadToHead, Leaderboard, Measure, PlayerStatistics
from services.archive.bounds import after_of
from services.archive.paging import PAGE_SIZE_DEFAULT
from services.desk import figures
from services.desk.figures import Board, Page
from services.http.admission import Reader
from services.http.allowed_values import ID_PATTERN
from services.http.answers import RatingsPage
from services.http.library import Era, Seen, Shelf, Who
from services.http.parameters import Listing, PageSize, PageToken, PlayerId, link_to_next
from services.http.responses import LINKED, answered, failures, in_body

AFTER_MAX = 10_000
_GAMES_MAX = 2**31 - 1
_TAGS = ["statistics"]


@get(
    "/players/{player_id:str}/statistics",
    operation_id="getPlayerStatistics",
    summary="The statistics of a player",
    tags=_TAGS,
    responses=failures(),
)
async def player_statistics(
    *, player_id: PlayerId, library: Shelf, reader: Who, sight: Seen, span: Era
) -> Response[PlayerStatistics]:
    """Rates, means and counts of a player over some games. An unknown player has played no games.

    Private games count only if you ask about yourself.
    """
    freshness = await library.watermarks.of("statistics")
    found = await library.desk.ask(reader.payer, player_id, figures.player, player_id, sight, span)
    return _answered(found, reader, freshness)


@get(
    "/players/{player_id:str}/ratings",
    operation_id="listRatings",
    summary="The ratings of a player",
    tags=_TAGS,
    responses=failures(),
    response_headers=LINKED,
)
async def ratings(
    *,
    request: "Request[Any, Any, Any]",
    player_id: PlayerId,
    library: Shelf,
    reader: Who,
    sight: Seen,
    span: Era,
    page_size: PageSize = PAGE_SIZE_DEFAULT,
    page_token: PageToken = None,
) -> Response[RatingsPage]:
    """The ratings of a player after each game, the newest first. Only ended games are rated.

    `since` and `until` are about the time from which everybody could know a rating: the end of the game, or later if
    spectators see the table late.
    """
    listing = Listing("ratings", player_id, span)
    after = after_of(listing.place(page_token), "page_token")
    asked = player_id, sight, span, Page(page_size, after)
    freshness = await library.watermarks.of("statistics")
    found = await library.desk.ask(reader.payer, player_id, figures.rating_history, *asked)
    token = listing.token(found.points[-1].at, found.points[-1].game_id) if found.more else None
    page = RatingsPage(
        player_id=player_id,
        rulebook=found.rulebook,
        since=found.since,
        until=found.until,
        played=found.played,
        points=found.points,
        next_page_token=token,
        freshness=in_body(freshness),
    )
    links = link_to_next(request, page_token=token) if found.more else {}
    return answered(page, reader, headers=links, freshness=freshness)


@get(
    "/leaderboards",
    operation_id="getLeaderboard",
    summary="The best players",
    tags=_TAGS,
    responses=failures(),
    response_headers=LINKED,
)
async def leaderboard(
    *,
    request: "Request[Any, Any, Any]",
    library: Shelf,
    reader: Who,
    sight: Seen,
    span: Era,
    measure: Annotated[Measure, QueryParameter(description="The measure that decides the order.")] = "rating",
    kind: Annotated[Kind | None, QueryParameter(description="Only people, or only bots.")] = None,
    games_min: Annotated[int, QueryParameter(ge=1, le=_GAMES_MAX, description="Only players with so many games.")] = 1,
    page_size: PageSize = PAGE_SIZE_DEFAULT,
    after: Annotated[int, QueryParameter(ge=0, le=AFTER_MAX, description="Leave out so many of the best.")] = 0,
) -> Response[Leaderboard]:
    """Players in the order of a measure, the best first.

    Only ended games are rated; the other measures are about the games that `played` names.
    """
    board = Board(measure=measure, kind=kind, games_min=games_min, limit=page_size, after=after)
    freshness = await library.watermarks.of("statistics")
    found = await library.desk.ask(reader.payer, measure, figures.leaderboard, sight, span, board)
    goes_on = found.more and after + page_size <= AFTER_MAX
    links = link_to_next(request, after=after + page_size) if goes_on else {}
    return _answered(found, reader, freshness, headers=links)


@get("/head-to-head", operation_id="getHeadToHead", summary="Two players", tags=_TAGS, responses=failures())
async def head_to_head(
    *,
    library: Shelf,
    reader: Who,
    sight: Seen,
    span: Era,
    player: Annotated[str, QueryParameter(pattern=ID_PATTERN, description="The id of a player.")],
    other: Annotated[str, QueryParameter(pattern=ID_PATTERN, description="The id of another player.")],
) -> Response[HeadToHead]:
    """The games that two players played at the same tables, as results of the first player."""
    freshness = await library.watermarks.of("statistics")
    found = await library.desk.ask(reader.payer, player, figures.head_to_head, player, other, sight, span)
    return _answered(found, reader, freshness)


def _answered(
    found: PlayerStatistics | Leaderboard | HeadToHead, reader: Reader, freshness: Freshness, **given: Any
) -> Response[Any]:
    return answered(replace(found, freshness=in_body(freshness)), reader, freshness=freshness, **given)


ROUTES = (player_statistics, ratings, leaderboard, head_to_head)
