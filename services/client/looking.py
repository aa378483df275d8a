"""Looking at a game once, from its first event on."""

from typing import Any

import grpc
from liarsdice.v1 import game_service_pb2 as wire

from services.client.answers import Update, game_of, happened
from services.client.failures import Refused
from services.client.line import Line


async def looked(line: Line, game_id: str, code: str = "") -> Update:
    """How a game stands, and all that has happened in it."""

    async def first_update(request: wire.WatchGameRequest, **how: Any) -> wire.GameUpdate:
        call: Any = line.games.WatchGame(request, **how)
        try:
            async for message in call:
                if message.HasField("update"):
                    update: wire.GameUpdate = message.update
                    return update
        finally:
            call.cancel()
        raise Refused(grpc.StatusCode.UNAVAILABLE, "the stream ended before it began")

    request = wire.WatchGameRequest(game_id=game_id, invitation_code=code, after_version=0, include_game=True)
    ask: Any = first_update
    update: wire.GameUpdate = await line.ask(ask, request)
    return Update(game_of(update.game), happened(update.events))
