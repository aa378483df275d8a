"""Replays: the steps of every game that is over."""

from domain.replaying import steps_of
from infra.postgres.generations import Model
from services.archive.steps import encode_steps
from services.projecting.projection import Projection, Rows, StoredGame


class ReplaysProjection(Projection):
    """The steps of a game, with digests and odds."""

    MODEL = Model("replays", 1)
    TABLES = ("replays",)

    def rows(self, game: StoredGame) -> Rows:
        """The steps of a game that is over."""
        if not game.is_over:
            return {}
        steps = encode_steps(steps_of(game.events, game.digests))
        return {"replays": [(game.game_id, len(game.events), steps)]}
