"""WatchGames: one stream on which a caller follows several games. A game that is refused does not end it."""

import asyncio
from typing import TYPE_CHECKING

from liarsdice.v1 import game_service_pb2 as wire

from services.access.refusals import FieldInvalid
from services.live.mailbox import Mailbox
from services.live.pulse import Pulse
from services.live.watching import Leave
from services.rpc.gate import Call, Gate
from services.rpc.live_encoder import heartbeat
from services.rpc.services.play_stream import GAMES_MAX, refusal_message
from services.rpc.wrapping import WATCH_MANY, wrapped

if TYPE_CHECKING:
    from services.rpc.services.game_service import GameService

_HEARTBEAT = wire.WatchGamesResponse.HEARTBEAT_FIELD_NUMBER


class WatchSession:
    """One WatchGames call."""

    def __init__(self, service: "GameService", gate: Gate, pulse: Pulse, call: Call) -> None:
        self._service, self._gate, self._pulse, self._call = service, gate, pulse, call
        self._mailbox = Mailbox(of_one_game=False)
        self._watched: list[Leave] = []

    async def run(self, request: wire.WatchGamesRequest) -> None:
        """Send what happens until the caller leaves."""
        _check(request)
        with self._pulse.attending(self._mailbox, _heartbeat, self._call.renew):
            # Letters are sent while games are still being entered: all of them together might not fit into the mailbox.
            entering = asyncio.create_task(self._enter_all(request))
            try:
                await self._call.begin()
                while (letter := await self._mailbox.take()) is not None:
                    await self._call.send(letter)
            finally:
                entering.cancel()
                await asyncio.wait((entering,))
                for leave in self._watched:
                    leave()

    async def _enter_all(self, request: wire.WatchGamesRequest) -> None:
        for one in request.games:
            try:
                self._gate.count(self._call)  # Each costs as much as a call of its own.
                self._watched.append(await self._service.enter(one, self._call, self._mailbox, WATCH_MANY))
            except Exception as error:  # noqa: BLE001 - the caller gets every failure, but nothing secret
                refused = wire.WatchGamesResponse(refused=refusal_message(error, one))
                self._mailbox.put(refused.SerializeToString())
                self._gate.refused[type(error)] += 1


def _check(request: wire.WatchGamesRequest) -> None:
    if not 1 <= len(request.games) <= GAMES_MAX:
        raise FieldInvalid(field="games", problem=f"must name 1 to {GAMES_MAX} games")
    if len({one.game_id for one in request.games}) < len(request.games):
        raise FieldInvalid(field="games", problem="must name each game once")


def _heartbeat(now: int) -> bytes:
    # Several games share the stream, so no single version says how far it is.
    return wrapped(_HEARTBEAT, heartbeat(now, 0))
