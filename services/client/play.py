"""Play: the moves of several games, and what happens in them, over one call that is made anew when it breaks.

What has no answer yet and what is watched is kept here, so a new call begins where the one before broke off: games are
watched after the last version that was told, and commands are sent again under their request ids, which keep them from
being done twice.
"""

import asyncio
from collections.abc import AsyncIterator
from itertools import count
from types import TracebackType
from typing import Any, Self

import grpc
from liarsdice.v1 import game_service_pb2 as wire

from services.client.answers import Done, Update, done_of
from services.client.failures import Refused, Unreachable, refused, refused_on_play
from services.client.following import Following, StreamBroken
from services.client.line import Line
from services.client.moves import Moves
from services.client.sitting import Seats

_FIELDS = {field.message_type: field.name for field in wire.PlayRequest.DESCRIPTOR.fields}
_UNANSWERED = Refused(grpc.StatusCode.DEADLINE_EXCEEDED, "there was no answer in time")

_Outbox = asyncio.Queue[wire.PlayRequest]


class Play:
    """One Play call, to be used as a context. Whoever iterates over it is told what happens in the watched games."""

    def __init__(self, line: Line, seats: Seats) -> None:
        """Use `Client.play`."""
        self._line, self._seats = line, seats
        self._games: dict[str, Following] = {}
        self._commands: dict[str, tuple[wire.PlayRequest, asyncio.Future[Done]]] = {}
        """What was asked for and is not answered yet, by request id."""
        self._told: asyncio.Queue[Update | Exception] = asyncio.Queue()
        self._rolling: dict[str, asyncio.Task[None]] = {}
        self._outbox: _Outbox | None = None
        self._task: asyncio.Task[None] | None = None
        self._ended: Refused | None = None
        self._tries = 0

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._keep_up())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None
        tasks = (self._task, *self._rolling.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for _, answer in self._commands.values():
            answer.cancel()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Update:
        """The next update of any game; a game that may not be watched is refused here, and the others go on."""
        if self._ended is not None and self._told.empty():
            raise self._ended
        told = await self._told.get()
        if isinstance(told, Exception):
            raise told
        return told

    def watch(self, game_id: str, *, code: str = "", after: int | None = None) -> None:
        """Be told of a game until it is over, each event once; with `after`, of what happened after that version."""
        if game_id not in self._games:
            self._games[game_id] = following = Following(game_id, code, after)
            self._send(wire.PlayRequest(watch=following.request))

    def unwatch(self, game_id: str) -> None:
        """Be told of a game no longer."""
        if self._games.pop(game_id, None) is not None:
            self._send(wire.PlayRequest(unwatch=wire.UnwatchRequest(game_id=game_id)))

    def moves(self, game_id: str) -> Moves:
        """The moves of a game, carried out over this call; those of one game in the order they are made."""
        return Moves(game_id, self._carried_out, self._seats)

    async def _carried_out(self, request: Any) -> Done:
        patience, last = self._line.patience, _UNANSWERED
        asked = wire.PlayRequest(**{_FIELDS[request.DESCRIPTOR]: request})
        try:
            async with asyncio.timeout(patience.total_seconds):
                for tries in count():
                    try:
                        return await self._answered(request.request_id, asked)
                    except Refused as failure:
                        if not failure.passing:
                            raise
                        last = failure
                    await asyncio.sleep(max(patience.pause(tries), last.retry_seconds or 0.0))
        except TimeoutError:
            raise (Unreachable(self._line.address, last) if last.unanswered else last) from None
        raise AssertionError("the counting has no end")

    async def _answered(self, request_id: str, asked: wire.PlayRequest) -> Done:
        if self._ended is not None:
            raise self._ended
        answer: asyncio.Future[Done] = asyncio.get_running_loop().create_future()
        self._commands[request_id] = (asked, answer)
        self._send(asked)
        try:
            return await answer
        finally:
            del self._commands[request_id]

    def _send(self, request: wire.PlayRequest, outbox: _Outbox | None = None) -> None:
        """Send something, on a certain call only if one is named; what no call takes goes with the next one."""
        if self._outbox is not None and outbox in (None, self._outbox):
            self._outbox.put_nowait(request)

    async def _keep_up(self) -> None:
        """Make a call, and another one whenever it breaks."""
        while True:
            try:
                await self._converse()
            except grpc.aio.AioRpcError as error:
                failure = refused(error)
                if not failure.resumable:
                    self._end(failure)
                    return
            except (TimeoutError, StreamBroken):
                pass
            await asyncio.sleep(self._line.patience.pause(self._tries))
            self._tries += 1

    async def _converse(self) -> None:
        """One call, from what is still to be told and answered until it breaks."""
        self._outbox = _Outbox()
        self._send(wire.PlayRequest(options=wire.PlayOptions(batches=True)))
        for following in self._games.values():
            self._send(wire.PlayRequest(watch=following.request))
        for asked, _ in self._commands.values():
            self._send(asked)
        call = self._line.games.Play(_sent(self._outbox), metadata=self._line.metadata)
        try:
            while True:
                message: Any = await self._line.heard(call)
                if message is grpc.aio.EOF:
                    return
                self._tries = 0
                await self._taken(message)
        finally:
            self._outbox = None
            call.cancel()

    async def _taken(self, message: wire.PlayResponse) -> None:
        match message.WhichOneof("response"):
            case "result":
                self._settle(message.result.request_id, done_of(message.result.result))
            case "refused" if message.refused.request_id:
                self._settle(message.refused.request_id, refused_on_play(message.refused))
            case "refused":
                self._not_watched(message.refused.game_id, refused_on_play(message.refused))
            case "snapshot":
                await self._happened(message.snapshot.view.game_id, "snapshot", message.snapshot)
            case "update" | "connection" as kind:
                content = getattr(message, kind)
                await self._happened(content.game_id, kind, content)
            case "batch":
                for response in message.batch.responses:
                    await self._taken(response)
            case _:
                pass  # A heartbeat, or something that a newer server tells.

    def _settle(self, request_id: str, outcome: Done | Refused) -> None:
        _, answer = self._commands.get(request_id, (None, None))
        if answer is None or answer.done():
            return
        if isinstance(outcome, Refused):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)

    def _not_watched(self, game_id: str, failure: Refused) -> None:
        following = self._games.get(game_id)
        if following is not None and failure.passing:
            pause = max(self._line.patience.pause(0), failure.retry_seconds or 0.0)
            again = wire.PlayRequest(watch=following.request)
            asyncio.get_running_loop().call_later(pause, self._send, again, self._outbox)
        elif self._games.pop(game_id, None) is not None:
            self._told.put_nowait(failure)

    async def _happened(self, game_id: str, kind: str, content: Any) -> None:
        following = self._games.get(game_id)
        update = None if following is None else following.taken(kind, content)
        if update is None:
            return
        try:
            self._told.put_nowait(await self._seats.told(game_id, update))
        except Exception as failure:  # noqa: BLE001 - whatever it is, whoever reads is told
            self._give_up(game_id, failure)
            return
        if update.game.view.phase == "ended":
            self.unwatch(game_id)
        elif game_id not in self._rolling:
            self._rolling[game_id] = asyncio.create_task(self._roll(game_id))

    async def _roll(self, game_id: str) -> None:
        """Roll if the game waits for it, however long it takes."""
        try:
            while not await self._has_rolled(game_id):  # noqa: ASYNC110 - nobody tells when the server is back
                await asyncio.sleep(self._line.patience.pause_seconds_max)
        except Exception as failure:  # noqa: BLE001 - as above
            self._give_up(game_id, failure)
        finally:
            del self._rolling[game_id]

    async def _has_rolled(self, game_id: str) -> bool:
        try:
            await self._seats.roll(game_id, self._carried_out)
        except Unreachable:
            return False
        except Refused as failure:
            if failure.passing:
                return False
            raise
        return True

    def _give_up(self, game_id: str, failure: Exception) -> None:
        """Follow a game no longer, and say why."""
        self.unwatch(game_id)
        self._told.put_nowait(failure)

    def _end(self, failure: Refused) -> None:
        """The server will have nothing to do with this call, so nobody waits for it any longer."""
        self._ended = failure
        self._told.put_nowait(failure)
        for request_id in self._commands:
            self._settle(request_id, failure)


async def _sent(outbox: _Outbox) -> AsyncIterator[wire.PlayRequest]:
    while True:
        yield await outbox.get()
