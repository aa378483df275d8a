"""Play: one call on which a player sends many commands and watches one or more games.

Commands of one game are carried out, or refused, in the order in which they came. Commands of different games do not
wait for each other. A refused command gets a refusal as its answer, and the call goes on.

Every answer goes through one mailbox, so what happened in a game and the answers to commands leave in one order.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from liarsdice.v1 import game_service_pb2 as wire

from infra.spans import span
from services.access.refusals import FieldInvalid, TooFast
from services.live.mailbox import Mailbox
from services.live.pulse import Pulse
from services.live.refusals import AlreadyWatched, NotWatched, TooMany
from services.live.watching import Leave
from services.rpc.gate import Call, Gate
from services.rpc.live_encoder import heartbeat
from services.rpc.method import name_of, parsed, problem_told
from services.rpc.status import code_of_problem
from services.rpc.wrapping import PLAY, wrapped

if TYPE_CHECKING:
    from services.rpc.services.game_service import GameService

COMMANDS_AT_ONCE_MAX = 64
GAMES_MAX = 100
WATCH_CALLS = 5
"""To begin to watch costs about as much as so many commands: what has happened in the game so far is read."""
REFUSED_CALLS = 5
"""A refused command counts as so many. Players are hardly ever refused, and a stream that only collects refusals is a flood."""

_BATCH_BYTES_MAX = 64 * 1024
_RESULT = wire.PlayResponse.RESULT_FIELD_NUMBER
_REQUEST_ID = wire.PlayResult.REQUEST_ID_FIELD_NUMBER
_OF_PLAY = wire.PlayResult.RESULT_FIELD_NUMBER
_HEARTBEAT = wire.PlayResponse.HEARTBEAT_FIELD_NUMBER
_BATCH = wire.PlayResponse.BATCH_FIELD_NUMBER
_RESPONSES = wire.PlayBatch.RESPONSES_FIELD_NUMBER


class PlaySession:
    """One Play call."""

    def __init__(self, service: "GameService", gate: Gate, pulse: Pulse, call: Call) -> None:
        self._service, self._gate, self._pulse, self._call = service, gate, pulse, call
        self._mailbox = Mailbox(of_one_game=False)
        self._watched: dict[str, Leave] = {}
        self._commands: set[asyncio.Task[None]] = set()
        self._latest: dict[str, asyncio.Task[None]] = {}
        """For each game, the last command that is not done yet; the next one waits for it."""
        self._room = asyncio.Semaphore(COMMANDS_AT_ONCE_MAX)
        self._batches = False
        """Whether the caller wants several messages in one: fewer messages cost a busy caller less."""

    async def run(self, requests: AsyncIterator[bytes]) -> None:
        """Answer until the caller closes its side of the call and has all answers."""
        with self._pulse.attending(self._mailbox, _heartbeat, self._call.renew):
            reading = asyncio.create_task(self._read(requests))
            try:
                await self._send_letters()
                await reading  # It is done by now. This raises the failure that ended it, if there was one.
            finally:
                # Commands that still run are not cancelled: the store completes what they have begun.
                reading.cancel()
                for leave in self._watched.values():
                    leave()

    async def _send_letters(self) -> None:
        while letters := await self._mailbox.take_some(_BATCH_BYTES_MAX):
            if self._batches and len(letters) > 1:
                letters = [wrapped(_BATCH, b"".join(wrapped(_RESPONSES, letter) for letter in letters))]
            for letter in letters:
                await self._call.send(letter)

    async def _read(self, requests: AsyncIterator[bytes]) -> None:
        try:
            async for raw in requests:
                await self._take(raw)
            # The caller may close its side right after the last command, and still wants the answer to it.
            if self._commands:
                await asyncio.wait(self._commands)
        finally:
            self._mailbox.finish()

    async def _take(self, raw: bytes) -> None:
        """Carry out a request about watching; start a command, and return before it is done."""
        request = parsed(raw, wire.PlayRequest)
        kind = request.WhichOneof("request")
        asked = getattr(request, kind) if kind else request
        if kind == "options":
            self._batches = asked.batches
            return
        if kind in (None, "watch", "unwatch"):
            await self._or_refusal(asked, self._change_watching(kind, asked))
            return
        # When the caller sends faster than we answer, we stop reading, and gRPC slows the caller down.
        await self._room.acquire()
        before = self._latest.get(asked.game_id)
        task = asyncio.create_task(self._or_refusal(asked, self._command(asked, before)))
        self._latest[asked.game_id] = task
        self._commands.add(task)
        task.add_done_callback(lambda done: self._done(asked.game_id, done))

    def _done(self, game_id: str, task: "asyncio.Task[None]") -> None:
        self._commands.discard(task)
        self._room.release()
        if self._latest.get(game_id) is task:
            del self._latest[game_id]

    async def _or_refusal(self, request: Any, work: Any) -> None:
        """Do some work; if it fails, answer the request with a refusal, and let the call go on."""
        try:
            await work
        except Exception as error:  # noqa: BLE001 - the caller gets every failure, but nothing secret
            refused = refusal_message(error, request)
            self._mailbox.put(wire.PlayResponse(refused=refused).SerializeToString())
            self._gate.refused[type(error)] += 1
            if isinstance(error, TooFast):
                await self._gate.rest(self._call.address, error)
            else:
                self._gate.charge(self._call, REFUSED_CALLS)

    async def _command(self, request: Any, before: "asyncio.Task[None] | None") -> None:
        if before is not None:
            await asyncio.wait((before,))
        # A Play call may last for days, so each command has a trace of its own, and checks the token again.
        with span(name_of(type(request)), is_first=True):
            self._gate.count(self._call)
            await self._call.renew()
            result = await self._service.command(request, self._call)
            self._mailbox.put(
                wrapped(_RESULT, wrapped(_REQUEST_ID, request.request_id.encode()) + wrapped(_OF_PLAY, result))
            )

    async def _change_watching(self, kind: str | None, request: Any) -> None:
        self._gate.count(self._call, WATCH_CALLS if kind == "watch" else 1)
        await self._call.renew()
        if kind is None:
            raise FieldInvalid(field="request", problem="must be set to something that this server knows")
        if kind == "unwatch":
            leave = self._watched.pop(request.game_id, None)
            if leave is None:
                raise NotWatched(game_id=request.game_id)
            leave()
            return
        if request.game_id in self._watched:
            raise AlreadyWatched(game_id=request.game_id)
        if len(self._watched) >= GAMES_MAX:
            raise TooMany(what="games on one call", limit=GAMES_MAX)
        self._watched[request.game_id] = await self._service.enter(request, self._call, self._mailbox, PLAY)


def refusal_message(error: Exception, request: Any) -> wire.PlayRefused:
    """Why a request on a stream was refused."""
    problem = problem_told(error)
    return wire.PlayRefused(
        request_id=getattr(request, "request_id", ""),
        game_id=getattr(request, "game_id", ""),
        code=code_of_problem(problem).value[0],
        message=problem.message,
        reason=problem.reason,
        metadata=problem.metadata,
    )


def _heartbeat(now: int) -> bytes:
    # Several games share the call, so no single version says how far it is; each update names the version of its game.
    return wrapped(_HEARTBEAT, heartbeat(now, 0))
