"""Statistics: the facts of each seat in every ended game, and the ratings computed from all games."""

from typing import Any

from domain.events import GameStarted
from domain.statistics.counting import facts_of, places_of
from domain.statistics.facts import SeatFacts
from infra.postgres.connections import Connection
from infra.postgres.generations import Model
from infra.postgres.queries import query
from services.bots.names import Counted, counted_as
from services.projector.projection import Projection, Rows, StoredGame
from services.projector.ratings import settle_ratings

_FACTS = SeatFacts.__struct_fields__


class StatisticsProjection(Projection):
    """A row for every seat of a game that was played, and one for a game that counts for ratings."""

    MODEL = Model("statistics", 1)
    TABLES = ("seats", "rated_games")

    def rows(self, game: StoredGame) -> Rows:
        """The facts of an ended game; one that never started has none."""
        if not game.is_over or not any(isinstance(event, GameStarted) for event in game.events):
            return {}
        counted = [counted_as(seat.player_id, seat.name, seat.kind) for seat in game.listing.seats]
        places = places_of(game.listing.places)
        return {
            "seats": _seat_rows(game, counted, places),
            "rated_games": [_rated_row(game, counted, places)] if _is_rated(game, counted) else [],
        }

    async def is_settled(self, connection: Connection, schema: str) -> bool:
        """Whether all games have their ratings."""
        return not await connection.fetchval(query("has_unsettled_games", schema=schema))

    async def settle(self, connection: Connection, schema: str) -> None:
        """Compute the ratings of some games that have none yet."""
        await settle_ratings(connection, schema)


def _seat_rows(game: StoredGame, counted: list[Counted], places: dict[int, int]) -> list[tuple[Any, ...]]:
    listing = game.listing
    played = "practice" if listing.practice else listing.result
    facts = facts_of(game.events, listing.forked_version or 0)
    return [
        (
            game.game_id,
            seat,
            *player,
            listing.rulebook,
            played,
            listing.private,
            listing.ended_at,
            listing.shown_at,
            len(counted),
            places.get(seat),
            *(getattr(of_seat, name) for name in _FACTS),
        )
        for seat, (player, of_seat) in enumerate(zip(counted, facts, strict=True))
    ]


def _is_rated(game: StoredGame, counted: list[Counted]) -> bool:
    """Whether a game counts for ratings. A private game does not: a changed rating would reveal it to others."""
    listing = game.listing
    several = len({player.player_id for player in counted}) > 1
    return listing.result == "ended" and several and not listing.practice and not listing.private


def _rated_row(game: StoredGame, counted: list[Counted], places: dict[int, int]) -> tuple[Any, ...]:
    return (
        game.game_id,
        game.listing.shown_at,
        game.listing.rulebook,
        [player.player_id for player in counted],
        [player.kind for player in counted],
        [places[seat] for seat in range(len(counted))],
        False,
    )
