"""Reading statistics: sums over the facts of games that everybody may know by now.

A game counts once everybody may know its end, also for its own players: so nobody can find out what is still hidden by
comparing two answers. Private games count only for a player who asks about their own games, and never for ratings and
leaderboards.
"""

from contextlib import suppress
from typing import Any, Self

import asyncpg

from domain.commands import Kind
from domain.deciding.gathering import book_called
from domain.naming import is_id
from domain.statistics.answers import (
    HeadToHead,
    Leaderboard,
    Measure,
    PlayerStatistics,
    RatingHistory,
    RatingPoint,
    Span,
)
from domain.statistics.facts import SeatFacts
from domain.statistics.intervals import rate_of
from infra.postgres.connections import PASSING, open_pool
from infra.postgres.queries import query
from services.access.refusals import FieldInvalid
from services.access.sight import Sight
from services.archive.archive import Place
from services.archive.statistics_sums import board_entry, player_statistics, rated_entry, rating_of

_READERS_MAX = 4
LIMIT_DEFAULT, LIMIT_MAX = 20, 100
ALL = Span()


class Statistics:
    """The statistics of players, for reading."""

    def __init__(self, pool: "asyncpg.Pool[Any]") -> None:
        """Use `open`, or share the connections of another reader."""
        self.pool = pool

    @classmethod
    async def open(cls, url: str) -> Self:
        """Read a store."""
        return cls(await open_pool(url, "liarsdice_reader", size_max=_READERS_MAX))

    async def close(self) -> None:
        """Disconnect."""
        with suppress(*PASSING):
            await self.pool.close()

    async def player(self, player_id: str, sight: Sight, span: Span = ALL) -> PlayerStatistics:
        """The statistics of a player; an unknown player has played no games."""
        asked = _parameters(player_id, span, sight, own=sight.caller.player_id == _valid_id("player_id", player_id))
        async with (
            self.pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            counts = await connection.fetchrow(query("count_games"), *asked)
            places = await connection.fetch(query("count_places"), *asked, span.played)
            sums = await connection.fetchrow(query("sum_facts"), *asked, span.played)
            rating = await connection.fetchrow(
                query("find_rating"), span.rulebook or "", player_id, _known_until(span, sight)
            )
        assert counts is not None, "an aggregate always returns a row"
        assert sums is not None, "an aggregate always returns a row"
        return player_statistics(player_id, span, counts, places, _facts(sums), rating=rating)

    async def leaderboard(
        self,
        sight: Sight,
        span: Span = ALL,
        *,
        measure: Measure = "rating",
        kind: Kind | None = None,
        games_min: int = 1,
        limit: int = LIMIT_DEFAULT,
        after: int = 0,
    ) -> Leaderboard:
        """Players in the order of a measure, the best first, without the first `after` of them."""
        _check_rulebook(span)
        known, rows = _known_until(span, sight), limit + 1
        if measure == "rating":
            _check_rated(span)
            found = await self.pool.fetch(
                query("rank_by_rating"), span.rulebook or "", known, kind, games_min, span.since, rows, after
            )
            entries = [rated_entry(position, row) for position, row in enumerate(found, after + 1)]
        else:
            found = await self.pool.fetch(
                query("rank_by_measure"),
                *(measure, sight.now, kind, games_min, span.rulebook, span.since, span.until, rows, after, span.played),
            )
            entries = [board_entry(measure, position, row) for position, row in enumerate(found, after + 1)]
        return Leaderboard(
            measure=measure,
            rulebook=span.rulebook,
            since=span.since,
            until=span.until,
            played=span.played,
            entries=tuple(entries[:limit]),
            more=len(entries) > limit,
        )

    async def head_to_head(self, player_id: str, other_id: str, sight: Sight, span: Span = ALL) -> HeadToHead:
        """Two players at the same tables."""
        if _valid_id("player_id", player_id) == _valid_id("other_id", other_id):
            raise FieldInvalid(field="other_id", problem="must be another player")
        asked = _parameters(player_id, span, sight, own=sight.caller.player_id in (player_id, other_id))
        row = await self.pool.fetchrow(query("compare_players"), *asked, other_id, span.played)
        assert row is not None, "an aggregate always returns a row"
        return HeadToHead(
            player_id=player_id,
            other_id=other_id,
            rulebook=span.rulebook,
            since=span.since,
            until=span.until,
            played=span.played,
            games=row["games"],
            ahead=rate_of(row["ahead"], row["ahead"] + row["level"] + row["behind"]),
            level=row["level"],
            behind=row["behind"],
            challenges_won=rate_of(row["challenges_won"], row["challenges"]),
            bids_held=rate_of(row["challenged"] - row["challenged_lost"], row["challenged"]),
        )

    async def rating_history(
        self, player_id: str, sight: Sight, span: Span = ALL, *, limit: int = LIMIT_DEFAULT, after: Place | None = None
    ) -> RatingHistory:
        """The ratings of a player, the newest first, with the times from which on everybody could know them."""
        _check_rulebook(span)
        _check_rated(span)
        rows = await self.pool.fetch(
            query("list_ratings"),
            *(span.rulebook or "", _valid_id("player_id", player_id), _known_until(span, sight), span.since),
            *(after or (None, None)),
            limit + 1,
        )
        points = [
            RatingPoint(at=row["shown_at"], game_id=row["game_id"], rating=rating_of(row)) for row in rows[:limit]
        ]
        return RatingHistory(
            player_id=player_id,
            rulebook=span.rulebook,
            since=span.since,
            until=span.until,
            played=span.played,
            points=tuple(points),
            more=len(rows) > limit,
        )


def _parameters(player_id: str, span: Span, sight: Sight, *, own: bool) -> tuple[Any, ...]:
    _check_rulebook(span)
    return (player_id, sight.now, own, span.rulebook, span.since, span.until)


def _known_until(span: Span, sight: Sight) -> int:
    """The time up to which ratings count."""
    return sight.now if span.until is None else min(sight.now, span.until - 1)


def _check_rulebook(span: Span) -> None:
    if span.rulebook is not None:
        book_called(span.rulebook)


def _check_rated(span: Span) -> None:
    if span.played != "ended":
        raise FieldInvalid(field="span.played", problem="must be ended for ratings, because no other games are rated")


def _valid_id(field: str, player_id: str) -> str:
    if not is_id(player_id):
        raise FieldInvalid(field=field, problem="must be the id of a player")
    return player_id


def _facts(sums: asyncpg.Record) -> SeatFacts:
    added: dict[str, Any] = {
        name: tuple(int(part or 0) for part in value) if isinstance(value, list) else int(value or 0)
        for name, value in sums.items()
    }
    return SeatFacts(**added)
