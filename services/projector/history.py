"""The hand history: the record of every ended game."""

from infra.postgres.generations import Model
from services.archive.listing import recorded
from services.projector.projection import Projection, Rows, StoredGame


class HistoryProjection(Projection):
    """The record of a game, and the columns to find it by."""

    MODEL = Model("history", 1)
    TABLES = ("records",)

    def rows(self, game: StoredGame) -> Rows:
        """The record of an ended game; no rows for others."""
        if not game.is_over:
            return {}
        listing = game.listing
        row = (
            game.game_id,
            listing.created_at,
            listing.ended_at,
            listing.rulebook,
            listing.result,
            listing.owner_id,
            listing.private,
            listing.practice,
            listing.shown_at,
            list(listing.player_ids),
            recorded(game.events, listing),
        )
        return {"records": [row]}
