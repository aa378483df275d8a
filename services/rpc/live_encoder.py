"""Writes what watchers get over gRPC: the content of the messages on their streams."""

from collections.abc import Callable
from typing import Any

from liarsdice.v1 import game_service_pb2 as wire

from domain.views import Viewer
from services.live.game import Happened, WatchedGame
from services.rpc.encoding import events_fields, game_fields, game_message
from services.tables.table_store import HostedTable
from services.wire.translation import timestamp


class RpcEncoder:
    """Writes content that all watchers who may see the same share."""

    shows_every_step = False

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now

    def snapshot(self, game: WatchedGame[HostedTable], viewer: Viewer) -> bytes:
        """The whole game at its version."""
        return game_message(game, viewer, now=self._now()).SerializeToString()

    def update(
        self, game: WatchedGame[HostedTable], happened: Happened, viewer: Viewer, *, include_game: bool
    ) -> bytes:
        """The events that led to the version at which the game is."""
        shown: Any = game_fields(game, viewer, now=self._now()) if include_game else None
        return wire.GameUpdate(
            game_id=game.game_id,
            version=game.version,
            events=events_fields(happened.events, game.version, viewer),
            game=shown,
            digest=game.digest,
        ).SerializeToString()

    def connection(self, game_id: str, seat: int, *, connected: bool) -> bytes:
        """The message that a player has connected or disconnected."""
        return wire.ConnectionChanged(game_id=game_id, seat=seat, connected=connected).SerializeToString()

    def rematch(self, game_id: str, rematch_id: str) -> bytes:
        """The message that there is a rematch."""
        return wire.RematchSetUp(game_id=game_id, rematch_id=rematch_id).SerializeToString()


def heartbeat(now: int, version: int) -> bytes:
    """The heartbeat of a stream that has reached a version."""
    return wire.Heartbeat(at=timestamp(now), version=version).SerializeToString()
