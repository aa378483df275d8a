"""Routes about statistics: ratings, leaderboards, head to head. docs/reference/statistics.md defines each number."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

from litestar import Request, Response, get
from litestar.params import QueryParameter
from msgspec.structs import replace

from domain.commands import Kind
from domain.freshness import CURRENT, Freshness
from domain.statistics.answers import (
    GameGrouping,
    GameStatistics,
    Grouping,
    HeadToHead,
    Leaderboard,
    Matrix,
    Measure,
    PlayerStatistics,
)
from services.archive.bounds import after_of
from services.archive.decisions import mark_of, mark_token
from services.archive.paging import PAGE_SIZE_DEFAULT
from services.archive.people import unless_behind
from services.archive.statistics import Board
from services.desk import figures
from services.desk.figures import Page
from services.desk.sources import Sources
from services.http.admission import Reader
from services.http.allowed_values import ID_PATTERN, IDS_PATTERN
from services.http.answers import DecisionsAnswer, PlayerGroupsPage, RatingsPage
from services.http.library import DecisionFilter, Era, Library, Seen, Shelf, Who
from services.http.parameters import GameId, Listing, PageSize, PageToken, PlayerId, link_to_next
from services.http.responses import LINKED, OF_GAME, OF_PLAYER, answered, failures, in_body

AFTER_MAX = 10_000
_GAMES_MAX = 2**31 - 1
_TAGS = ["statistics"]
Asked = ParamSpec("Asked")
Found = TypeVar("Found")


@get(
    "/players/{player_id:str}/statistics",
    operation_id="getPlayerStatistics",
    summary="The statistics of a player",
    tags=_TAGS,
    responses=failures(*OF_PLAYER),
)
async def player_statistics(
    *, player_id: PlayerId, library: Shelf, reader: Who, sight: Seen, span: Era
) -> Response[PlayerStatistics]:
    """Rates, means and counts of a player over some games. The id of a bot's seat stands for its strategy.

    Private games count only if you ask about yourself.
    """
    found, freshness = await _read(library, reader, player_id, figures.player, player_id, sight, span)
    return _answered(found, reader, freshness)


@get(
    "/players/{player_id:str}/ratings",
    operation_id="listRatings",
    summary="The ratings of a player",
    tags=_TAGS,
    responses=failures(*OF_PLAYER),
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
    found, freshness = await _read(library, reader, player_id, figures.rating_history, *asked)
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
    found, freshness = await _read(library, reader, measure, figures.leaderboard, sight, span, board)
    goes_on = found.more and after + page_size <= AFTER_MAX
    links = link_to_next(request, after=after + page_size) if goes_on else {}
    return _answered(found, reader, freshness, headers=links)


@get("/head-to-head", operation_id="getHeadToHead", summary="Two players", tags=_TAGS, responses=failures(*OF_PLAYER))
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
    found, freshness = await _read(library, reader, player, figures.head_to_head, player, other, sight, span)
    return _answered(found, reader, freshness)


async def _read(
    library: Library,
    reader: Reader,
    subject: str,
    read: Callable[Concatenate[Sources, Asked], Awaitable[Found]],
    *asked: Asked.args,
    **none: Asked.kwargs,
) -> tuple[Found, Freshness]:
    """An answer of the desk, and how fresh it is."""
    freshness = await library.watermarks.of("statistics")  # Before the read, which then has at least so much.
    with unless_behind(freshness):
        return await library.desk.ask(reader.payer, subject, read, *asked, **none), freshness


def _answered(
    found: PlayerStatistics | Leaderboard | HeadToHead | Matrix | GameStatistics,
    reader: Reader,
    freshness: Freshness,
    **given: Any,
) -> Response[Any]:
    return answered(replace(found, freshness=in_body(freshness)), reader, freshness=freshness, **given)


@get(
    "/players/{player_id:str}/groups",
    operation_id="getPlayerGroups",
    summary="When and how a player does well",
    tags=_TAGS,
    responses=failures(*OF_PLAYER),
    response_headers=LINKED,
)
async def player_groups(
    *,
    request: "Request[Any, Any, Any]",
    player_id: PlayerId,
    library: Shelf,
    reader: Who,
    sight: Seen,
    span: Era,
    by: Annotated[Grouping, QueryParameter(description="What the groups have in common.")],
    page_size: PageSize = PAGE_SIZE_DEFAULT,
    page_token: PageToken = None,
) -> Response[PlayerGroupsPage]:
    """The numbers of a player, group by group: by the dice that were left, by the chance of the standing bid, by week...

    By `game` the groups are single games, the newest first, and come in pages; all others come at once.
    """
    listing = Listing("groups", player_id, by, span)
    page = Page(page_size, after_of(listing.place(page_token), "page_token"))
    found, freshness = await _read(library, reader, player_id, figures.groups, player_id, by, sight, (span, page))
    token = listing.token(found.groups[-1].at or 0, found.groups[-1].group) if found.more else None
    links = link_to_next(request, page_token=token) if found.more else {}
    answer = PlayerGroupsPage(
        player_id=found.player_id,
        name=found.name,
        kind=found.kind,
        by=found.by,
        rulebook=found.rulebook,
        since=found.since,
        until=found.until,
        played=found.played,
        groups=found.groups,
        next_page_token=token,
        freshness=in_body(freshness),
    )
    return answered(answer, reader, headers=links, freshness=freshness)


@get(
    "/matrix",
    operation_id="getMatrix",
    summary="Everybody against everybody",
    tags=_TAGS,
    responses=failures(*OF_PLAYER),
)
async def matrix(
    *,
    library: Shelf,
    reader: Who,
    sight: Seen,
    span: Era,
    players: Annotated[str, QueryParameter(pattern=IDS_PATTERN, description="2 to 20 ids of players, with commas.")],
) -> Response[Matrix]:
    """Every player of some against every other, as in head to head."""
    asked = players.split(","), sight, span, "players"
    found, freshness = await _read(library, reader, players, figures.matrix, *asked)
    return _answered(found, reader, freshness)


@get(
    "/statistics/games",
    operation_id="getGameStatistics",
    summary="How games go",
    tags=_TAGS,
    responses=failures(),
)
async def game_statistics(
    *,
    library: Shelf,
    reader: Who,
    sight: Seen,
    span: Era,
    by: Annotated[GameGrouping, QueryParameter(description="What the groups have in common.")] = "rulebook",
) -> Response[GameStatistics]:
    """How long public games are, and whether it is worth to open, group by group."""
    found, freshness = await _read(library, reader, by, figures.games, by, sight, span)
    return _answered(found, reader, freshness)


@get(
    "/players/{player_id:str}/decisions",
    operation_id="listPlayerDecisions",
    summary="The decisions of a player",
    tags=_TAGS,
    responses=failures(*OF_PLAYER),
    response_headers=LINKED,
)
async def player_decisions(
    *,
    request: "Request[Any, Any, Any]",
    player_id: PlayerId,
    library: Shelf,
    reader: Who,
    sight: Seen,
    span: Era,
    choice: DecisionFilter,
    page_size: PageSize = PAGE_SIZE_DEFAULT,
    page_token: PageToken = None,
) -> Response[DecisionsAnswer]:
    """Bids and challenges of a player with their chances, the newest first or the worst first.

    Only decisions of games that everybody may know; of your private games too if you ask about yourself.
    """
    listing = Listing("decisions", player_id, span, choice)
    asked = figures.Asked(span=span, wanted=choice, limit=page_size, after=mark_of(listing.place(page_token)))
    found, freshness = await _read(library, reader, player_id, figures.player_decisions, player_id, sight, asked)
    token = listing.bound(mark_token(found.last)) or None
    links = link_to_next(request, page_token=token) if token else {}
    answer = DecisionsAnswer(decisions=found.decisions, next_page_token=token, freshness=in_body(freshness))
    return answered(answer, reader, headers=links, freshness=freshness)


@get(
    "/games/{game_id:str}/decisions",
    operation_id="listGameDecisions",
    summary="The decisions of a game",
    tags=_TAGS,
    responses=failures(*OF_GAME),
)
async def game_decisions(game_id: GameId, library: Shelf, reader: Who, sight: Seen) -> Response[DecisionsAnswer]:
    """All bids and challenges of a game with their chances, as far as you may see it; of a round once it is over."""
    found = await library.desk.ask(reader.payer, game_id, figures.game_decisions, game_id, sight)
    return answered(DecisionsAnswer(decisions=found, next_page_token=None), reader, freshness=CURRENT)


ROUTES = (
    player_statistics,
    player_groups,
    player_decisions,
    game_decisions,
    ratings,
    leaderboard,
    head_to_head,
    matrix,
    game_statistics,
)
