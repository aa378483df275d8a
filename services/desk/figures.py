"""Reads of statistics, as jobs: the database adds up many numbers, and that takes its time."""

from collections.abc import Sequence

from domain.statistics.answers import (
    DecisionMade,
    DecisionsWanted,
    GameGrouping,
    GameStatistics,
    Grouping,
    HeadToHead,
    Leaderboard,
    Matrix,
    PlayerGroups,
    PlayerStatistics,
    RatingHistory,
    Span,
)
from domain.statistics.passed_bids import PassedBidsReport
from domain.values import Value
from infra.workers.meter import touched
from services.access.sight import Sight
from services.archive.archive import Place
from services.archive.decisions import DecisionsPage, Mark
from services.archive.statistics import Board
from services.desk.sources import Sources

_UNITS = 500
"""What an answer costs."""


class Page(Value, frozen=True):
    """A part of a list."""

    limit: int
    after: Place | None


class Asked(Value, frozen=True, kw_only=True):
    """Decisions of a player that somebody asks for."""

    span: Span
    wanted: DecisionsWanted
    limit: int
    after: Mark | None


async def player(sources: Sources, player_id: str, sight: Sight, span: Span) -> PlayerStatistics:
    """The statistics of a player."""
    touched(_UNITS)
    return await sources.statistics.player(player_id, sight, span)


async def leaderboard(sources: Sources, sight: Sight, span: Span, board: Board) -> Leaderboard:
    """Players in the order of a measure."""
    touched(_UNITS)
    return await sources.statistics.leaderboard(
        sight,
        span,
        measure=board.measure,
        kind=board.kind,
        games_min=board.games_min,
        limit=board.limit,
        after=board.after,
    )


async def head_to_head(sources: Sources, player_id: str, other_id: str, sight: Sight, span: Span) -> HeadToHead:
    """The games that two players played with each other."""
    touched(_UNITS)
    return await sources.statistics.head_to_head(player_id, other_id, sight, span)


async def rating_history(sources: Sources, player_id: str, sight: Sight, span: Span, page: Page) -> RatingHistory:
    """The ratings of a player."""
    touched(_UNITS)
    return await sources.statistics.rating_history(player_id, sight, span, limit=page.limit, after=page.after)


async def groups(
    sources: Sources, player_id: str, by: Grouping, sight: Sight, asked: tuple[Span, Page]
) -> PlayerGroups:
    """The numbers of a player, group by group."""
    touched(_UNITS)
    span, page = asked
    return await sources.statistics.groups(player_id, by, sight, span, limit=page.limit, after=page.after)


async def matrix(sources: Sources, player_ids: Sequence[str], sight: Sight, span: Span, field: str) -> Matrix:
    """Every player of some against every other."""
    touched(_UNITS)
    return await sources.statistics.matrix(player_ids, sight, span, field)


async def passed_bids(
    sources: Sources, player_ids: Sequence[str], sight: Sight, span: Span, field: str
) -> PassedBidsReport:
    """What some players do with doubtful bids of each other."""
    touched(_UNITS)
    return await sources.statistics.passed_bids(player_ids, sight, span, field)


async def games(sources: Sources, by: GameGrouping, sight: Sight, span: Span) -> GameStatistics:
    """How games go, group by group."""
    touched(_UNITS)
    return await sources.statistics.games(by, sight, span)


async def player_decisions(sources: Sources, player_id: str, sight: Sight, asked: Asked) -> DecisionsPage:
    """Decisions of a player."""
    touched(_UNITS)
    return await sources.decisions.of_player(
        player_id, sight, asked.span, asked.wanted, limit=asked.limit, after=asked.after
    )


async def game_decisions(sources: Sources, game_id: str, sight: Sight) -> tuple[DecisionMade, ...]:
    """The decisions of a game."""
    return await sources.decisions.of_game(game_id, sight)
