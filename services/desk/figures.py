"""Reads of statistics, as jobs: the database sums over many games, and that takes its time."""

from domain.commands import Kind
from domain.statistics.answers import HeadToHead, Leaderboard, Measure, PlayerStatistics, RatingHistory, Span
from domain.values import Value
from infra.workers.meter import touched
from services.access.sight import Sight
from services.archive.archive import Place
from services.desk.sources import Sources

_UNITS = 500
"""What a sum over games costs. It grows with the store, but we don't know by how much."""


class Page(Value, frozen=True):
    """A part of a list."""

    limit: int
    after: Place | None


class Board(Value, frozen=True, kw_only=True):
    """A leaderboard that somebody asks for."""

    measure: Measure
    kind: Kind | None
    games_min: int
    limit: int
    after: int


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
