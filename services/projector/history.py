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
        return {"records": [(*game.search_columns, recorded(game.events, game.listing))]}
