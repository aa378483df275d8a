"""The hand history: the record of every ended game, and the same game as lines of CSV and as notation."""

import zlib

from domain.history.record import encode_record
from domain.notation import write_unchecked
from infra.postgres.generations import Model
from services.archive.listing import recorded
from services.export.comma_separated import lines_of
from services.projector.projection import Projection, Rows, StoredGame

_LEVEL = 1
"""A higher level saves a sixth of the bytes and takes three times as long."""


class HistoryProjection(Projection):
    """The record of a game in all forms, and the columns to find it by."""

    MODEL = Model("history", 2)
    TABLES = ("records",)

    def rows(self, game: StoredGame) -> Rows:
        """The record of an ended game; no rows for others."""
        if not game.is_over:
            return {}
        record = recorded(game.events, game.listing)
        forms = (
            encode_record(record),
            zlib.compress(lines_of(record), _LEVEL),
            zlib.compress(write_unchecked(record).encode(), _LEVEL),
        )
        return {"records": [(*game.search_columns, game.lane, game.position, *forms)]}
