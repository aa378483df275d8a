"""What has been told of a game: each event once and in order, over however many streams.

It is known by the versions of the events. A repeated event is passed over; where one would be missing, the stream is of
no more use and the game is resumed on another one.
"""

from typing import Any

from liarsdice.v1 import game_pb2
from liarsdice.v1 import game_service_pb2 as wire
from msgspec.structs import replace

from services.client.answers import Came, Game, Update, game_of, happened


class StreamBroken(Exception):  # noqa: N818 - it reads as a sentence
    """The stream is of no more use, and what it told is resumed on another one."""


class Following:
    """One game, as far as it was told."""

    def __init__(self, game_id: str, code: str = "", after: int | None = None) -> None:
        self._game_id, self._code = game_id, code
        self._version = after
        self._game: Game | None = None

    @property
    def request(self) -> wire.WatchGameRequest:
        """Asks for what has not been told yet."""
        return wire.WatchGameRequest(
            game_id=self._game_id, invitation_code=self._code, after_version=self._version, include_game=True
        )

    def taken(self, kind: str | None, content: Any) -> Update | None:
        """What is new in something that a stream tells of this game."""
        match kind:
            case "snapshot":
                return self._stands(content)
            case "update":
                return self._happened(content)
            case "connection":
                return self._came(Came(content.seat, content.connected))
            case "heartbeat" if self._version is not None and content.version > self._version:
                raise StreamBroken
            case _:
                return None

    def _stands(self, message: game_pb2.Game) -> Update:
        self._game = game_of(message)
        self._version = self._game.version
        return Update(self._game)

    def _happened(self, message: wire.GameUpdate) -> Update | None:
        told = self._version or 0
        events = tuple(one for one in happened(message.events) if one.version > told)
        if not events:
            return None
        if events[0].version != told + 1:
            raise StreamBroken
        self._game, self._version = game_of(message.game), message.version
        return Update(self._game, events)

    def _came(self, came: Came) -> Update | None:
        if self._game is None:
            return None
        connected = self._game.connected | {came.seat} if came.connected else self._game.connected - {came.seat}
        self._game = replace(self._game, connected=connected)
        return Update(self._game, came=came)
