"""Reading statistics: sums over the facts of games that everybody may know by now.

A game counts once everybody may know its end, also for its own players: so nobody can find out what is still hidden by
comparing two answers. Private games count only for a player who asks about their own games, and never for ratings and
leaderboards.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Self

import asyncpg

from domain.commands import Kind
from domain.deciding.gathering import book_called
from domain.statistics.answers import (
    GameGrouping,
    GameStatistics,
    Grouping,
    HeadToHead,
    Leaderboard,
    Matrix,
    Measure,
    PlayerGroups,
    PlayerStatistics,
    RatingHistory,
    RatingPoint,
    Span,
)
from domain.statistics.decisions import PHASES
from domain.statistics.facts import CALIBRATION_BINS
from domain.statistics.passed_bids import Faced, PassedBidsReport, compared
from domain.values import Value
from infra.postgres.connections import PASSING, open_pool
from infra.postgres.queries import query
from services.access.refusals import FieldInvalid
from services.access.sight import Sight
from services.archive.archive import Place
from services.archive.moments import day_of
from services.archive.people import Named, known_player
from services.archive.statistics_answers import (
    PLAYER_DIMENSIONS,
    board_entry,
    game_group,
    pair_of,
    player_group,
    player_statistics,
    rated_entry,
    rating_of,
    sums_of,
)
from services.archive.sums import (
    DAY_MILLISECONDS,
    VIEWS,
    courses_query,
    days_of,
    pairs_query,
    ranking_query,
    seats_query,
    sums_query,
)
from services.bots.names import counted_id

_READERS_MAX = 4
LIMIT_DEFAULT, LIMIT_MAX = 20, 100
_MATRIX_PLAYERS_MIN, _MATRIX_PLAYERS_MAX = 2, 20
ALL = Span()
_WEEK_MILLISECONDS = 7 * DAY_MILLISECONDS
_LAST = 2**62
_MONDAY = 3 * DAY_MILLISECONDS
"""The first of January 1970 was a Thursday, three days after the beginning of its week."""


class Board(Value, frozen=True, kw_only=True):
    """A leaderboard that somebody asks for."""

    measure: Measure
    kind: Kind | None
    games_min: int
    limit: int
    after: int


class Statistics:
    """The statistics of players and games, for reading."""

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
        """The statistics of a player; refused if the caller may not know that there is one."""
        _check_rulebook(span)
        async with self._reading() as connection:
            player = await known_player(connection, player_id, sight)
            rows = await _sums(connection, player, PLAYER_DIMENSIONS, sight, span)
            rating = await connection.fetchrow(
                query("find_rating", schema=VIEWS), span.rulebook or "", player.player_id, _known_until(span, sight)
            )
        return player_statistics(player, span, rows, rating)

    async def groups(
        self,
        player_id: str,
        by: Grouping,
        sight: Sight,
        span: Span = ALL,
        *,
        limit: int = LIMIT_DEFAULT,
        after: Place | None = None,
    ) -> PlayerGroups:
        """The numbers of a player, group by group. Only the groups of single games, the newest first, come in pages."""
        _check_rulebook(span)
        async with self._reading() as connection:
            player = await known_player(connection, player_id, sight)
            if by == "game":
                rows = await _games(connection, player, sight, span, limit=limit + 1, after=after)
                groups = [player_group(row["game_id"], sums_of([row]), row["ended_at"]) for row in rows[:limit]]
                more = len(rows) > limit
            else:
                dimension = "" if by == "week" else by
                rows = await _sums(connection, player, (dimension,), sight, span, weeks=by == "week")
                groups, more = _grouped(by, [row for row in rows if row["played"] == span.played]), False
        return PlayerGroups(
            player_id=player.player_id,
            name=player.name,
            kind=player.kind,
            by=by,
            rulebook=span.rulebook,
            since=span.since,
            until=span.until,
            played=span.played,
            groups=tuple(groups),
            more=more,
        )

    async def games(self, by: GameGrouping, sight: Sight, span: Span = ALL) -> GameStatistics:
        """How long public games are and what it is worth to open, group by group."""
        _check_rulebook(span)
        days, weeks = days_of(span, single=by == "week"), by == "week"
        rows = await self.pool.fetch(courses_query(), sight.now, span.rulebook, *days, weeks, span.played)
        keys = sorted({row[by] for row in rows})
        found = {key: [row for row in rows if row[by] == key] for key in keys}
        groups = [game_group(_label(by, key), of_key, _week_began(by, key)) for key, of_key in found.items()]
        return GameStatistics(
            by=by,
            rulebook=span.rulebook,
            since=span.since,
            until=span.until,
            played=span.played,
            groups=tuple(group for group in groups if group.games),
        )

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
        board = Board(measure=measure, kind=kind, games_min=games_min, limit=limit, after=after)
        if board.measure == "rating":
            _check_rated(span)
            entries = [rated_entry(*one) for one in enumerate(await self._rated(sight, span, board), board.after + 1)]
        else:
            found = await self._ranked(sight, span, board)
            entries = [board_entry(board.measure, *one) for one in enumerate(found, board.after + 1)]
        return Leaderboard(
            measure=board.measure,
            rulebook=span.rulebook,
            since=span.since,
            until=span.until,
            played=span.played,
            entries=tuple(entries[: board.limit]),
            more=len(entries) > board.limit,
        )

    async def _rated(self, sight: Sight, span: Span, board: Board) -> list[asyncpg.Record]:
        return await self.pool.fetch(
            query("rank_by_rating", schema=VIEWS),
            *(span.rulebook or "", _known_until(span, sight), board.kind, board.games_min, span.since),
            *(board.limit + 1, board.after),
        )

    async def _ranked(self, sight: Sight, span: Span, board: Board) -> list[asyncpg.Record]:
        in_span = span.since is not None or span.until is not None
        return await self.pool.fetch(
            ranking_query(board.measure, board.kind, in_span=in_span),
            *_parameters(None, sight, span),
            *(span.played, board.kind, board.games_min, board.limit + 1, board.after),
        )

    async def head_to_head(self, player_id: str, other_id: str, sight: Sight, span: Span = ALL) -> HeadToHead:
        """Two players at the same tables."""
        if counted_id(player_id) == counted_id(other_id):
            raise FieldInvalid(field="other_id", problem="must be another player")
        pair = (await self._compared((player_id, other_id), ("player_id", "other_id"), sight, span)).pairs[0]
        return HeadToHead(
            player_id=pair.player_id,
            other_id=pair.other_id,
            rulebook=span.rulebook,
            since=span.since,
            until=span.until,
            played=span.played,
            games=pair.games,
            ahead=pair.ahead,
            level=pair.level,
            behind=pair.behind,
            challenges_won=pair.challenges_won,
            bids_held=pair.bids_held,
        )

    async def matrix(
        self, player_ids: Sequence[str], sight: Sight, span: Span = ALL, field: str = "player_ids"
    ) -> Matrix:
        """Every player of some against every other, in the order asked for; `field` is what the caller calls them."""
        _check_different(player_ids, field)
        return await self._compared(player_ids, (field,) * len(player_ids), sight, span)

    async def passed_bids(
        self, player_ids: Sequence[str], sight: Sight, span: Span = ALL, field: str = "player_ids"
    ) -> PassedBidsReport:
        """What some players do with doubtful bids of each other and of all others, also in private games: for auditors."""
        _check_different(player_ids, field)
        _check_rulebook(span)
        async with self._reading() as connection:
            players = [(await known_player(connection, one, sight, field)).player_id for one in player_ids]
            times = span.since or 0, _LAST if span.until is None else span.until
            rows = await connection.fetch(query("passed_bids", schema=VIEWS), players, sight.now, span.rulebook, *times)
        return PassedBidsReport(
            player_ids=tuple(players),
            rulebook=span.rulebook,
            since=span.since,
            until=span.until,
            pairs=compared(players, [Faced(*row) for row in rows]),
        )

    async def _compared(self, player_ids: Sequence[str], fields: Sequence[str], sight: Sight, span: Span) -> Matrix:
        _check_rulebook(span)
        async with self._reading() as connection:
            players = [
                (await known_player(connection, one, sight, field)).player_id
                for one, field in zip(player_ids, fields, strict=True)
            ]
            rows = await connection.fetch(pairs_query(), *_parameters(players, sight, span), span.played)
        found = {(row["player_id"], row["other_id"]): row for row in rows}
        return Matrix(
            player_ids=tuple(players),
            rulebook=span.rulebook,
            since=span.since,
            until=span.until,
            played=span.played,
            pairs=tuple(
                pair_of(player, other, found.get((player, other)))
                for player in players
                for other in players
                if player != other
            ),
        )

    async def rating_history(
        self, player_id: str, sight: Sight, span: Span = ALL, *, limit: int = LIMIT_DEFAULT, after: Place | None = None
    ) -> RatingHistory:
        """The ratings of a player, the newest first, with the times from which on everybody could know them."""
        _check_rulebook(span)
        _check_rated(span)
        async with self._reading() as connection:
            player = await known_player(connection, player_id, sight)
            rows = await connection.fetch(
                query("list_ratings", schema=VIEWS),
                *(span.rulebook or "", player.player_id, _known_until(span, sight), span.since),
                *(after or (None, None)),
                limit + 1,
            )
        points = [
            RatingPoint(at=row["shown_at"], game_id=row["game_id"], rating=rating_of(row)) for row in rows[:limit]
        ]
        return RatingHistory(
            player_id=player.player_id,
            rulebook=span.rulebook,
            since=span.since,
            until=span.until,
            played=span.played,
            points=tuple(points),
            more=len(rows) > limit,
        )

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[Any]:
        """A connection that sees the sums and the rows of one moment."""
        async with (
            self.pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            yield connection


async def _sums(
    connection: Any, player: Named, dimensions: tuple[str, ...], sight: Sight, span: Span, *, weeks: bool = False
) -> list[asyncpg.Record]:
    asked = _parameters([player.player_id], sight, span, single_days=weeks)
    rows: list[asyncpg.Record] = await connection.fetch(sums_query(dimensions), *asked, dimensions, weeks)
    return rows


async def _games(
    connection: Any, player: Named, sight: Sight, span: Span, *, limit: int, after: Place | None
) -> list[asyncpg.Record]:
    days, own = days_of(span), sight.caller.player_id == player.player_id
    rows: list[asyncpg.Record] = await connection.fetch(
        seats_query(),
        *(player.player_id, sight.now, own, span.rulebook, days.since, days.until, span.played),
        *(after or (None, None)),
        limit,
    )
    return rows


def _grouped(by: Grouping, rows: Sequence[asyncpg.Record]) -> list[Any]:
    keys = sorted({row["key"] for row in rows})
    found = [(key, sums_of(row for row in rows if row["key"] == key)) for key in keys]
    return [player_group(_label(by, key), sums, _week_began(by, key)) for key, sums in found if sums.games]


def _label(by: Grouping | GameGrouping, key: Any) -> str:
    """The name of a group."""
    match by:
        case "phase":
            return str(PHASES[key])
        case "opener":
            return "true" if key else "false"
        case "bid_chance" | "standing_chance":
            return f"{key / CALIBRATION_BINS:.1f}"
        case "week":
            return day_of(_week_began(by, key) or 0)
        case _:
            return str(key)


def _week_began(by: Grouping | GameGrouping, key: Any) -> int | None:
    return max(key * _WEEK_MILLISECONDS - _MONDAY, 0) if by == "week" else None


def _parameters(
    player_ids: Sequence[str] | None, sight: Sight, span: Span, *, single_days: bool = False
) -> tuple[Any, ...]:
    days = days_of(span, single=single_days)
    return (player_ids, sight.now, sight.caller.player_id, span.rulebook, *days)


def _known_until(span: Span, sight: Sight) -> int:
    """The time up to which ratings count."""
    return sight.now if span.until is None else min(sight.now, span.until - 1)


def _check_different(player_ids: Sequence[str], field: str) -> None:
    different = len({counted_id(one) for one in player_ids})
    if not _MATRIX_PLAYERS_MIN <= different == len(player_ids) <= _MATRIX_PLAYERS_MAX:
        problem = f"must be {_MATRIX_PLAYERS_MIN} to {_MATRIX_PLAYERS_MAX} different players"
        raise FieldInvalid(field=field, problem=problem)


def _check_rulebook(span: Span) -> None:
    if span.rulebook is not None:
        book_called(span.rulebook)


def _check_rated(span: Span) -> None:
    if span.played != "ended":
        raise FieldInvalid(field="span.played", problem="must be ended for ratings, because no other games are rated")
