"""What watchers get over gRPC, as the contents of the messages of their streams."""

from collections.abc import Callable
from typing import Any

from liarsdice.v1 import game_service_pb2 as wire

from domain.views import Viewer
from services.live.game import Happened, WatchedGame
from services.rpc.encoding import events_fields, game_fields, game_message
from services.tables.table_store import HostedTable
from services.wire.translation import timestamp


class RpcEncoder:
    """Writes the contents that all watchers share who see the same."""

    shows_every_step = False

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now

    def snapshot(self, game: WatchedGame[HostedTable], viewer: Viewer) -> bytes:
        """How a game stands."""
        return game_message(game, viewer, now=self._now()).SerializeToString()

    def update(
        self, game: WatchedGame[HostedTable], happened: Happened, viewer: Viewer, *, include_game: bool
    ) -> bytes:
        """What has happened up to how a game stands now."""
        shown: Any = game_fields(game, viewer, now=self._now()) if include_game else None
        return wire.GameUpdate(
            game_id=game.game_id,
            version=game.version,
            events=events_fields(happened.events, game.version, viewer),
            game=shown,
            digest=game.digest,
        ).SerializeToString()

    def connection(self, game_id: str, seat: int, *, connected: bool) -> bytes:
        """That a player has come or gone."""
        return wire.ConnectionChanged(game_id=game_id, seat=seat, connected=connected).SerializeToString()

    def rematch(self, game_id: str, rematch_id: str) -> bytes:
        """That there is a rematch."""
        return wire.RematchSetUp(game_id=game_id, rematch_id=rematch_id).SerializeToString()


def heartbeat(now: int, version: int) -> bytes:
    """A sign of life of a stream that has come to a version."""
    return wire.Heartbeat(at=timestamp(now), version=version).SerializeToString()
