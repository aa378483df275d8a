"""Play: the moves of several games, and what happens in them, over one call that is made again when it breaks.

The client remembers the commands without an answer and how far it has come in each game. So a new call begins where the
one before broke: it watches each game after the last version that came, and sends the commands again under their request
ids, which keep the server from doing them twice.
"""

import asyncio
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Self

import grpc
from liarsdice.v1 import game_service_pb2 as wire

from services.client.answers import Done, Update, done_of
from services.client.channel import Channel
from services.client.errors import STREAM_FAILURES, Refused, StreamBroken, Unreachable, failure_of, refused_on_play
from services.client.game_stream import Cursor
from services.client.moves import Moves
from services.client.retry import pause_seconds, resumable_failure
from services.client.seats import Seats

_FIELDS = {field.message_type: field.name for field in wire.PlayRequest.DESCRIPTOR.fields}

_Outbox = asyncio.Queue[wire.PlayRequest]


class Play:
    """One Play call, to be used with `async with`. Iterating over it gives the updates of the watched games."""

    def __init__(self, channel: Channel, seats: Seats) -> None:
        """Use `Client.play`."""
        self._channel, self._seats = channel, seats
        self._cursors: dict[str, Cursor] = {}
        self._commands: dict[str, tuple[wire.PlayRequest, asyncio.Future[Done]]] = {}
        """The commands without an answer, by request id."""
        self._updates: asyncio.Queue[Update | Exception] = asyncio.Queue()
        self._rolling: dict[str, asyncio.Task[None]] = {}
        self._outbox: _Outbox | None = None
        self._task: asyncio.Task[None] | None = None
        self._ended: Refused | None = None
        self._retry = channel.retry(gives_up=False)

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
        if self._ended is not None and self._updates.empty():
            raise self._ended
        update = await self._updates.get()
        if isinstance(update, Exception):
            raise update
        return update

    def watch(self, game_id: str, *, code: str = "", after: int | None = None) -> None:
        """Follow a game until it is over, each event once; with `after`, only what happened after that version."""
        if game_id not in self._cursors:
            self._cursors[game_id] = cursor = Cursor(game_id, code, after)
            self._send(wire.PlayRequest(watch=cursor.request))

    def unwatch(self, game_id: str) -> None:
        """Follow a game no longer."""
        if self._cursors.pop(game_id, None) is not None:
            self._send(wire.PlayRequest(unwatch=wire.UnwatchRequest(game_id=game_id)))

    def moves(self, game_id: str) -> Moves:
        """The moves of a game, over this call; the server does those of one game in the order in which they are made."""
        return Moves(game_id, self._carried_out, self._seats)

    async def _carried_out(self, request: Any) -> Done:
        """What a command did."""
        asked = wire.PlayRequest(**{_FIELDS[request.DESCRIPTOR]: request})

        async def attempt(seconds_left: float) -> Done:
            try:
                async with asyncio.timeout(seconds_left):
                    return await self._answer(request.request_id, asked)
            except TimeoutError:
                raise Refused(grpc.StatusCode.DEADLINE_EXCEEDED, "there was no answer in time") from None

        done = await self._channel.retry().call(attempt)
        await self._seats.accepted(request.game_id, done.receipt, done)
        return done

    async def _answer(self, request_id: str, asked: wire.PlayRequest) -> Done:
        """The answer to a command, which waits for as many Play calls as it takes."""
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
        """Send a request, with an `outbox` on its call only; what no call takes goes with the next one."""
        if self._outbox is not None and outbox in (None, self._outbox):
            self._outbox.put_nowait(request)

    async def _keep_up(self) -> None:
        """Make a call, and another one whenever it breaks."""
        while True:
            try:
                await self._converse()
            except STREAM_FAILURES as error:
                try:
                    failure = resumable_failure(error)
                except Refused as final:
                    self._end(final)
                    return
            await self._retry.pause(failure)

    async def _converse(self) -> None:
        """One call until it breaks; it begins with the watched games and the commands without an answer."""
        self._outbox = _Outbox()
        self._send(wire.PlayRequest(options=wire.PlayOptions(batches=True)))
        for cursor in self._cursors.values():
            self._send(wire.PlayRequest(watch=cursor.request))
        for asked, _ in self._commands.values():
            self._send(asked)
        call = self._channel.games.Play(_requests(self._outbox), metadata=self._channel.metadata)
        try:
            while True:
                message: Any = await self._channel.next_message(call)
                if message is grpc.aio.EOF:
                    raise StreamBroken
                self._retry.succeeded()
                await self._take(message)
        finally:
            self._outbox = None
            call.cancel()

    async def _take(self, message: wire.PlayResponse) -> None:
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
                    await self._take(response)
            case _:
                pass  # A heartbeat, or something that only newer clients know.

    def _settle(self, request_id: str, outcome: Done | Refused) -> None:
        _, answer = self._commands.get(request_id, (None, None))
        if answer is None or answer.done():
            return
        if isinstance(outcome, Refused):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)

    def _not_watched(self, game_id: str, failure: Refused) -> None:
        """Watch a game again after a pause if that can help; otherwise tell the reader why not."""
        cursor = self._cursors.get(game_id)
        if cursor is not None and failure.passing:
            pause = pause_seconds(self._channel.patience, 0, failure)
            again = wire.PlayRequest(watch=cursor.request)
            asyncio.get_running_loop().call_later(pause, self._send, again, self._outbox)
        elif self._cursors.pop(game_id, None) is not None:
            self._updates.put_nowait(failure)

    async def _happened(self, game_id: str, kind: str, content: Any) -> None:
        cursor = self._cursors.get(game_id)
        update = None if cursor is None else cursor.advance(kind, content)
        if update is None:
            return
        try:
            self._updates.put_nowait(await self._seats.checked(game_id, update))
        except Exception as failure:  # noqa: BLE001 - whatever it is, the reader gets it
            self._give_up(game_id, failure)
            return
        if update.game.view.phase == "ended":
            self.unwatch(game_id)
        elif game_id not in self._rolling:
            self._rolling[game_id] = asyncio.create_task(self._roll(game_id))

    async def _roll(self, game_id: str) -> None:
        """Roll if the game waits for it, however long it takes."""
        try:
            await self._keep_rolling(game_id)
        except Exception as failure:  # noqa: BLE001 - as above
            self._give_up(game_id, failure)
        finally:
            del self._rolling[game_id]

    async def _keep_rolling(self, game_id: str) -> None:
        # Each roll is tried as long as any move. After that the game may have moved on, so the seat looks at it anew.
        retry = self._channel.retry(gives_up=False)
        while True:
            try:
                await self._seats.roll(game_id, self._carried_out)
            except (Refused, Unreachable) as error:
                failure = failure_of(error)
                if not failure.passing:
                    raise
                await retry.pause(failure)
            else:
                return

    def _give_up(self, game_id: str, failure: Exception) -> None:
        """Follow a game no longer, and tell the reader why."""
        self.unwatch(game_id)
        self._updates.put_nowait(failure)

    def _end(self, failure: Refused) -> None:
        """The server refuses the call for good, so nobody waits for it any longer."""
        self._ended = failure
        self._updates.put_nowait(failure)
        for request_id in self._commands:
            self._settle(request_id, failure)


async def _requests(outbox: _Outbox) -> AsyncIterator[wire.PlayRequest]:
    while True:
        yield await outbox.get()
