"""The list of games and of their seats."""

from domain.events import GameCreated, GameStarted, PlayerJoined, PlayerLeft
from infra.postgres.generations import Model
from services.projector.encoding import encode
from services.projector.projection import END_TOPICS, Projection, Rows, StoredGame


class GamesProjection(Projection):
    """A row for every game, running or ended, and one for every seat."""

    MODEL = Model("games", 1)
    TRIGGERS = END_TOPICS | {
        GameCreated.TOPIC,
        "player-joined.v1",
        PlayerJoined.TOPIC,
        PlayerLeft.TOPIC,
        GameStarted.TOPIC,
    }
    TABLES = ("games", "seats")

    def rows(self, game: StoredGame) -> Rows:
        """The rows of a game in the list."""
        listing = game.listing
        return {
            "games": [(*game.search_columns, encode(listing))],
            "seats": [
                (game.game_id, seat.seat, seat.player_id, seat.name, seat.kind, seat.joined_at)
                for seat in listing.seats
            ],
        }
