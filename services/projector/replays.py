"""Replays: the steps of every ended game."""

from domain.history.replaying import replay_of
from infra.postgres.generations import Model
from services.archive.steps import encode_replay
from services.projector.projection import Projection, Rows, StoredGame


class ReplaysProjection(Projection):
    """The steps of a game, with digests and odds."""

    MODEL = Model("replays", 1)
    TABLES = ("replays",)

    def rows(self, game: StoredGame) -> Rows:
        """The steps of an ended game; no rows for others."""
        if not game.is_over:
            return {}
        listing = game.listing
        row = (
            game.game_id,
            listing.owner_id,
            listing.private,
            listing.shown_at,
            list(listing.player_ids),
            len(game.events),
            *encode_replay(replay_of(game.game_id, game.events, game.digests)),
        )
        return {"replays": [row]}
