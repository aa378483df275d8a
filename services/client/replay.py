"""A replay: a past game in its own time, over a call that can be steered; a broken call is made again where it broke."""

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Any, Literal, Self

import grpc
from liarsdice.v1 import replay_service_pb2 as wire

from domain.values import Value
from domain.views import GameView
from services.client.channel import Channel
from services.client.errors import STREAM_FAILURES
from services.client.past_answers import PastStep, ReplayEnd, ReplayPosition, past_step_of
from services.client.retry import resumable_failure
from services.wire.translation import from_message, view_of

Eyes = int | Literal["spectator", "everything"] | None
"""The eyes of a seat, of a spectator, or of one who sees under all lifted cups; None for your own."""


class ReplayedStep(Value, frozen=True):
    """A step at its time, and how the game stood after it."""

    step: PastStep
    view: GameView


Replayed = ReplayedStep | ReplayPosition | ReplayEnd


class Replaying:
    """One replay. It gives the steps, the position after each request, and the end each time it is reached."""

    def __init__(self, channel: Channel, opening: wire.OpenReplay) -> None:
        """Use `PastGames.replay`."""
        self._channel, self._opening = channel, opening
        self._call: Any = None
        self._retry = channel.retry()
        self._last: int | None = None
        """The last step that was shown; None after a `seek`."""
        self._shown: int | None = None
        """The step that a call begins with which was made again: it comes a second time, and is skipped."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hang_up()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Replayed:
        """What comes next; nothing after the end, until `seek` names another step."""
        while True:
            try:
                message = await self._next_message()
            except STREAM_FAILURES as error:
                self._hang_up()
                self._shown = self._last
                await self._retry.pause(resumable_failure(error))
                continue
            if (replayed := self._replayed(message)) is not None:
                return replayed

    async def pause(self) -> None:
        """Stand still."""
        self._opening.paused = True
        await self._send(wire.ReplayGameRequest(pause=wire.PauseReplay()))

    async def resume(self) -> None:
        """Go on."""
        self._opening.paused = False
        await self._send(wire.ReplayGameRequest(resume=wire.ResumeReplay()))

    async def seek(self, version: int) -> None:
        """Show this step next, at once."""
        self._opening.from_version = version
        self._last = self._shown = None
        await self._send(wire.ReplayGameRequest(seek=wire.SeekStep(version=version)))

    async def change_speed(self, speed: float) -> None:
        """Go faster, or slower."""
        self._opening.speed = speed
        await self._send(wire.ReplayGameRequest(speed=wire.ChangeSpeed(speed=speed)))

    async def _send(self, request: wire.ReplayGameRequest) -> None:
        """Send a request on the open call; without one, the next call opens with what is wanted by then."""
        if self._call is not None:
            # The reader of the call finds out why it is gone.
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await self._call.write(request)

    async def _next_message(self) -> Any:
        if self._call is None:
            self._call = self._channel.replays.ReplayGame(metadata=self._channel.metadata)
            await self._call.write(wire.ReplayGameRequest(open=self._opening))
        message = await self._channel.next_message(self._call)
        self._retry.succeeded()
        return message

    def _replayed(self, message: Any) -> Replayed | None:
        """What a message brings that was not shown before; a replay that breaks goes on after it."""
        if message is grpc.aio.EOF:
            raise StopAsyncIteration
        match message.WhichOneof("response"):
            case "step":
                step = past_step_of(message.step.step)
                repeated, self._shown = step.version == self._shown, None
                self._opening.from_version = self._last = step.version
                return None if repeated else ReplayedStep(step, view_of(message.step.view))
            case "position":
                return from_message(message.position, ReplayPosition)
            case "end":
                return from_message(message.end, ReplayEnd)
            case _:
                return None

    def _hang_up(self) -> None:
        if self._call is not None:
            self._call.cancel()
            self._call = None


def viewpoint_message(eyes: Eyes) -> wire.Viewpoint:
    """The eyes to look through, as the wire has them."""
    match eyes:
        case int(seat):
            return wire.Viewpoint(seat=seat)
        case "spectator":
            return wire.Viewpoint(spectator=wire.Viewpoint.Spectator())
        case "everything":
            return wire.Viewpoint(everything=wire.Viewpoint.Everything())
        case None:
            return wire.Viewpoint()
