"""Following a game over a stream that may break: it is resumed after the last version that was told, until the game ends.

What has been told is known by the versions of the events. A repeated event is passed over; where one would be missing,
the stream is begun anew. So whoever follows a game sees each event once, in order, whatever becomes of the connection.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
from liarsdice.v1 import game_service_pb2 as wire
from msgspec.structs import replace

from services.client.answers import Came, Game, Update, game_of, happened
from services.client.failures import refused
from services.client.line import Line

ConnectionTold = Callable[[bool], None]


class _StreamBroken(Exception):  # noqa: N818 - it reads as a sentence
    """The stream is of no more use, and the game is resumed on another one."""


class Watching:
    """One game that is followed."""

    def __init__(
        self, line: Line, game_id: str, code: str, after: int | None, on_connection: ConnectionTold | None
    ) -> None:
        self._line, self._game_id, self._code = line, game_id, code
        self._version = after
        self._game: Game | None = None
        self._on_connection = on_connection
        self._connected = False
        self._tries = 0

    async def updates(self) -> AsyncIterator[Update]:
        """How the game stands and what happens, until it is over."""
        while True:
            try:
                async for update in self._stream():
                    yield update
                    if update.game.view.phase == "ended":
                        return
            except grpc.aio.AioRpcError as error:
                failure = refused(error)
                if not failure.resumable:
                    raise failure from None
            except (TimeoutError, _StreamBroken):
                pass
            self._tell_connection(connected=False)
            await asyncio.sleep(self._line.patience.pause(self._tries))
            self._tries += 1

    async def _stream(self) -> AsyncIterator[Update]:
        """What one stream tells."""
        call = self._line.games.WatchGame(self._request(), metadata=self._line.metadata)
        try:
            # The server sends them at once, so that it is known to be there even if nothing happens.
            await asyncio.wait_for(call.initial_metadata(), self._line.patience.try_seconds)
            self._tell_connection(connected=not call.done())
            while True:
                message: Any = await asyncio.wait_for(call.read(), self._line.patience.silence_seconds)
                if message is grpc.aio.EOF:
                    return
                update = self._taken(message)
                if update is not None:
                    yield update
        finally:
            call.cancel()

    def _request(self) -> wire.WatchGameRequest:
        return wire.WatchGameRequest(
            game_id=self._game_id, invitation_code=self._code, after_version=self._version, include_game=True
        )

    def _taken(self, message: wire.WatchGameResponse) -> Update | None:
        match message.WhichOneof("content"):
            case "snapshot":
                self._game = game_of(message.snapshot)
                self._version = self._game.version
                return Update(self._game)
            case "update":
                return self._happened(message.update)
            case "connection":
                return self._came(Came(message.connection.seat, message.connection.connected))
            case "heartbeat" if self._version is not None and message.heartbeat.version > self._version:
                raise _StreamBroken
            case _:
                return None

    def _happened(self, message: wire.GameUpdate) -> Update | None:
        told = self._version or 0
        events = tuple(one for one in happened(message.events) if one.version > told)
        if not events:
            return None
        if events[0].version != told + 1:
            raise _StreamBroken
        self._game, self._version = game_of(message.game), message.version
        return Update(self._game, events)

    def _came(self, came: Came) -> Update | None:
        if self._game is None:
            return None
        connected = self._game.connected | {came.seat} if came.connected else self._game.connected - {came.seat}
        self._game = replace(self._game, connected=connected)
        return Update(self._game, came=came)

    def _tell_connection(self, *, connected: bool) -> None:
        if connected:
            self._tries = 0
        if connected != self._connected and self._on_connection is not None:
            self._on_connection(connected)
        self._connected = connected
