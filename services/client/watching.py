"""Watching a game over a stream that may break: it is resumed after the last version that was told, until the game ends."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import grpc

from services.client.answers import Update
from services.client.failures import Refused, Unreachable, refused
from services.client.following import Following, StreamBroken
from services.client.line import Line

ConnectionTold = Callable[[bool], None]


class Watching:
    """One game that is watched."""

    def __init__(
        self,
        line: Line,
        following: Following,
        check: Callable[[Update], Awaitable[Update]],
        roll: Callable[[], Awaitable[None]],
        on_connection: ConnectionTold | None,
    ) -> None:
        """What is told goes through `check`; `roll` rolls if the game waits for it."""
        self._line, self._following, self._check, self._roll = line, following, check, roll
        self._on_connection = on_connection
        self._connected = False
        self._tries = 0

    async def updates(self) -> AsyncIterator[Update]:
        """How the game stands and what happens, until it is over."""
        while True:
            try:
                async with aclosing(self._stream()) as stream:
                    async for update in stream:
                        yield await self._check(update)
                        if update.game.view.phase == "ended":
                            return
                        await self._roll()
            except grpc.aio.AioRpcError as error:
                failure = refused(error)
                if not failure.resumable:
                    raise failure from None
            except Refused as failure:
                if not failure.resumable:
                    raise
            except (TimeoutError, StreamBroken, Unreachable):
                pass
            self._tell_connection(connected=False)
            await asyncio.sleep(self._line.patience.pause(self._tries))
            self._tries += 1

    async def _stream(self) -> AsyncGenerator[Update, None]:
        """What one stream tells."""
        call = self._line.games.WatchGame(self._following.request, metadata=self._line.metadata)
        try:
            # The server sends them at once, so that it is known to be there even if nothing happens.
            async with asyncio.timeout(self._line.patience.try_seconds):
                await call.initial_metadata()
            self._tell_connection(connected=not call.done())
            await self._roll()
            while True:
                message: Any = await self._line.heard(call)
                if message is grpc.aio.EOF:
                    return
                kind = message.WhichOneof("content")
                update = self._following.taken(kind, kind and getattr(message, kind))
                if update is not None:
                    yield update
        finally:
            call.cancel()

    def _tell_connection(self, *, connected: bool) -> None:
        if connected:
            self._tries = 0
        if connected != self._connected and self._on_connection is not None:
            self._on_connection(connected)
        self._connected = connected
