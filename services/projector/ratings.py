"""Ratings: the estimated strength of a player, on a ladder for each book and on a ladder for all books together.

Games are rated in the order of the times from which on everybody may know their ends; at the same time, in the order of
their ids. So a rating never reveals an end that is still hidden, and does not depend on the order of processing. When a
game comes late, later games are rated again, but only those with a player whose rating it changes.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import asyncpg
from openskill.models import PlackettLuce

from infra.postgres.connections import Connection
from infra.postgres.queries import query

GAMES_AT_ONCE = 1_000
"""How many games one transaction rates: few enough that it takes less than a second, because others wait for it."""
ALL_BOOKS = ""
"""The ladder on which games of all books count."""
NEVER = 2**63 - 1
_MODEL = PlackettLuce()
_COLUMNS = ("ladder", "player_id", "shown_at", "game_id", "superseded_at", "kind", "games", "mu", "sigma")

Rung = tuple[str, str]
"""A ladder and a player."""


class Rating(NamedTuple):
    """The estimated strength of a player after so many games."""

    games: int
    mu: float
    sigma: float


class Rated(NamedTuple):
    """A rating, and the game after which the player had it."""

    shown_at: int
    game_id: str
    kind: str
    rating: Rating


UNKNOWN = Rating(0, _MODEL.mu, _MODEL.sigma)


async def settle_ratings(connection: Connection, schema: str) -> None:
    """Compute the ratings after the first games that have none yet. The caller must hold the lock for this."""
    games = await connection.fetch(query("games_to_rate", schema=schema), GAMES_AT_ONCE)
    before = await _ratings_before(connection, schema, games)
    rows, superseded = await _rate_all(games, before)
    game_ids = [game["game_id"] for game in games]
    await connection.execute(query("forget_ratings", schema=schema), game_ids)
    await connection.copy_records_to_table("ratings", schema_name=schema, columns=_COLUMNS, records=rows)
    await connection.execute(query("supersede_ratings", schema=schema), *_by_column(superseded, 5))
    await connection.execute(query("settle_games", schema=schema), game_ids)


def rate(player_ids: Sequence[str], places: Sequence[int], before: Mapping[str, Rating]) -> dict[str, Rating]:
    """The ratings after a game. A player with several seats, which only kinds of bots have, gets their mean."""
    teams = [[_MODEL.create_rating([before[player].mu, before[player].sigma])] for player in player_ids]
    rated = _MODEL.rate(teams, ranks=list(map(float, places)))
    earned: dict[str, list[Any]] = {}
    for player, (after,) in zip(player_ids, rated, strict=True):
        earned.setdefault(player, []).append(after)
    return {
        player: Rating(
            before[player].games + 1,
            sum(one.mu for one in seats) / len(seats),
            sum(one.sigma for one in seats) / len(seats),
        )
        for player, seats in earned.items()
    }


async def _ratings_before(connection: Connection, schema: str, games: Sequence[asyncpg.Record]) -> dict[Rung, Rated]:
    """The rating of each player on each ladder before the first of these games."""
    wanted: dict[Rung, tuple[Any, ...]] = {}
    for game in games:
        for ladder in _ladders(game):
            for player in game["player_ids"]:
                wanted.setdefault((ladder, player), (ladder, player, game["shown_at"], game["game_id"]))
    rows = await connection.fetch(query("ratings_before", schema=schema), *_by_column(list(wanted.values()), 4))
    return {(row[0], row[1]): Rated(row[2], row[3], "", Rating(*row[4:])) for row in rows}


async def _rate_all(
    games: Sequence[asyncpg.Record], standing: dict[Rung, Rated]
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """The rows of all ratings after these games, and when they replace older ones; this updates `standing`."""
    made: list[tuple[Rung, Rated]] = []
    followed: dict[tuple[Rung, str], tuple[int, int]] = {}
    for game in games:
        kinds = dict(zip(game["player_ids"], game["kinds"], strict=True))
        for ladder in _ladders(game):
            for rung, rated in _rated(game, ladder, kinds, standing).items():
                if rung in standing:
                    followed[rung, standing[rung].game_id] = (standing[rung].shown_at, rated.shown_at)
                standing[rung] = rated
                made.append((rung, rated))
        await asyncio.sleep(0)  # Give games that this process serves their turn.
    rows = []
    for rung, (shown_at, game_id, kind, rating) in made:
        _, superseded_at = followed.pop((rung, game_id), (0, NEVER))
        rows.append((*rung, shown_at, game_id, superseded_at, kind, *rating))
    superseded = [(*rung, shown_at, game_id, then) for (rung, game_id), (shown_at, then) in followed.items()]
    return rows, superseded


def _rated(
    game: asyncpg.Record, ladder: str, kinds: Mapping[str, str], standing: Mapping[Rung, Rated]
) -> dict[Rung, Rated]:
    before = {player: standing[ladder, player].rating if (ladder, player) in standing else UNKNOWN for player in kinds}
    after = rate(game["player_ids"], game["places"], before)
    return {
        (ladder, player): Rated(game["shown_at"], game["game_id"], kinds[player], rating)
        for player, rating in after.items()
    }


def _ladders(game: asyncpg.Record) -> tuple[str, str]:
    return (ALL_BOOKS, game["rulebook"])


def _by_column(rows: Sequence[tuple[Any, ...]], columns: int) -> list[list[Any]]:
    return [[row[column] for row in rows] for column in range(columns)]
