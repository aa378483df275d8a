"""The events of a game as a stream: each event once and in order, over however many calls it takes.

Events are known by their versions. A repeated event is skipped. Where one would be missing the call is of no more use,
and the client opens another one after the last version that it has.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import grpc
from liarsdice.v1 import game_pb2
from liarsdice.v1 import game_service_pb2 as wire
from msgspec.structs import replace

from services.client.answers import Came, Game, Happened, Update, game_of, happened
from services.client.channel import Channel
from services.client.errors import STREAM_FAILURES, Refused, StreamBroken, failure_of
from services.client.retry import resumable_failure

OnConnection = Callable[[bool], None]


async def whole_game(channel: Channel, game_id: str, code: str = "") -> Update:
    """How a game stands, and all that has happened in it."""
    # The events of a long game come in several updates, so the client has to know which is the last.
    asked = wire.GetGameRequest(game_id=game_id, invitation_code=code)
    version = (await channel.ask(channel.games.GetGame, asked)).game.version

    async def attempt(seconds_left: float) -> Update:
        return await _read_up_to(version, channel, game_id, code, min(channel.patience.try_seconds, seconds_left))

    return await channel.retry().call(attempt)


async def _read_up_to(version: int, channel: Channel, game_id: str, code: str, seconds: float) -> Update:
    """The updates of one call up to a version, as one update."""
    request = wire.WatchGameRequest(game_id=game_id, invitation_code=code, after_version=0, include_game=True)
    call: Any = channel.games.WatchGame(request, timeout=seconds, metadata=channel.metadata)
    events = list[Happened]()
    try:
        async for message in call:
            if message.HasField("update"):
                events += happened(message.update.events)
                if message.update.version >= version:
                    return Update(game_of(message.update.game), tuple(events))
    except grpc.aio.AioRpcError as error:
        raise failure_of(error) from None
    finally:
        call.cancel()
    raise Refused(grpc.StatusCode.UNAVAILABLE, "the stream ended too early")


class Cursor:
    """How far the client has come in one game."""

    def __init__(self, game_id: str, code: str = "", after: int | None = None) -> None:
        self._game_id, self._code = game_id, code
        self._version = after
        self._game: Game | None = None

    @property
    def request(self) -> wire.WatchGameRequest:
        """Asks for what comes after the last event."""
        return wire.WatchGameRequest(
            game_id=self._game_id, invitation_code=self._code, after_version=self._version, include_game=True
        )

    def advance(self, kind: str | None, content: Any) -> Update | None:
        """What is new in a message about this game; None if nothing is."""
        match kind:
            case "snapshot":
                return self._snapshot(content)
            case "update":
                return self._update(content)
            case "connection":
                return self._connection(Came(content.seat, content.connected))
            case "heartbeat" if self._version is not None and content.version > self._version:
                raise StreamBroken
            case _:
                return None

    def _snapshot(self, message: game_pb2.Game) -> Update:
        self._game = game_of(message)
        self._version = self._game.version
        return Update(self._game)

    def _update(self, message: wire.GameUpdate) -> Update | None:
        last = self._version or 0
        events = tuple(one for one in happened(message.events) if one.version > last)
        if not events:
            return None
        if events[0].version != last + 1:
            raise StreamBroken
        self._game, self._version = game_of(message.game), message.version
        return Update(self._game, events)

    def _connection(self, came: Came) -> Update | None:
        if self._game is None:
            return None
        connected = self._game.connected | {came.seat} if came.connected else self._game.connected - {came.seat}
        self._game = replace(self._game, connected=connected)
        return Update(self._game, came=came)


class GameStream:
    """One game that is watched until it ends, however often the call breaks."""

    def __init__(
        self,
        channel: Channel,
        cursor: Cursor,
        check: Callable[[Update], Awaitable[Update]],
        roll: Callable[[], Awaitable[None]],
        on_connection: OnConnection | None,
    ) -> None:
        """Every update goes through `check`; `roll` rolls if the game waits for it."""
        self._channel, self._cursor, self._check, self._roll = channel, cursor, check, roll
        self._on_connection = on_connection
        self._connected = False
        # A person who watches a game waits for the server, however long it is away.
        self._retry = channel.retry(gives_up=False)

    async def updates(self) -> AsyncIterator[Update]:
        """How the game stands and what happens, until it is over."""
        while True:
            try:
                async with aclosing(self._one_call()) as updates:
                    async for update in updates:
                        yield await self._check(update)
                        if update.game.view.phase == "ended":
                            return
                        await self._roll()
            except STREAM_FAILURES as error:
                failure = resumable_failure(error)
            self._report_connection(connected=False)
            await self._retry.pause(failure)

    async def _one_call(self) -> AsyncGenerator[Update, None]:
        """The updates that one call brings until it breaks."""
        call = self._channel.games.WatchGame(self._cursor.request, metadata=self._channel.metadata)
        try:
            # The server sends them at once, so the client knows that it is there even if nothing happens.
            async with asyncio.timeout(self._channel.patience.try_seconds):
                await call.initial_metadata()
            self._report_connection(connected=not call.done())
            await self._roll()
            while True:
                message: Any = await self._channel.next_message(call)
                if message is grpc.aio.EOF:
                    raise StreamBroken
                kind = message.WhichOneof("content")
                update = self._cursor.advance(kind, kind and getattr(message, kind))
                if update is not None:
                    yield update
        finally:
            call.cancel()

    def _report_connection(self, *, connected: bool) -> None:
        if connected:
            self._retry.succeeded()
        if connected != self._connected and self._on_connection is not None:
            self._on_connection(connected)
        self._connected = connected
