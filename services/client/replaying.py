"""A game that is replayed in its own time, over a call that is steered, and made again where it broke."""

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Any, Literal, Self

import grpc
from liarsdice.v1 import replay_service_pb2 as wire

from domain.values import Value
from domain.views import GameView
from services.client.line import Line
from services.client.past_answers import PastStep, ReplayEnd, ReplayPosition, past_step_of
from services.client.trying import Trying
from services.wire.translation import from_message, view_of

Eyes = int | Literal["spectator", "everything"] | None
"""Those of a seat, of a spectator, or of one who sees under all lifted cups; None for one's own."""


class ReplayedStep(Value, frozen=True):
    """A step at its time, and how the game stood after it."""

    step: PastStep
    view: GameView


Replayed = ReplayedStep | ReplayPosition | ReplayEnd


class Replaying:
    """One replay. Reading it gives steps, the position after everything that was asked, and the end each time it is reached."""

    def __init__(self, line: Line, opening: wire.OpenReplay) -> None:
        """Use `PastGames.replay`."""
        self._line, self._opening = line, opening
        self._call: Any = None
        self._trying = Trying(line)
        self._last: int | None = None
        """The step that was shown last; None if another one was sought since."""
        self._shown: int | None = None
        """The step from which a call was made again, which comes once more and was shown before."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hang_up()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Replayed:
        """What comes next; nothing after the end, unless another step is sought."""
        while True:
            try:
                message = await self._heard()
            except (grpc.aio.AioRpcError, TimeoutError) as error:
                self._hang_up()
                self._shown = self._last
                await self._trying.again(error)
                continue
            if (told := self._told(message)) is not None:
                return told

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
        """Ask on a call that there is; else the next one opens with what is wanted by then."""
        if self._call is not None:
            # Why a call is gone is told where it is read.
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await self._call.write(request)

    async def _heard(self) -> Any:
        if self._call is None:
            self._call = self._line.replays.ReplayGame(metadata=self._line.metadata)
            await self._call.write(wire.ReplayGameRequest(open=self._opening))
        message = await self._line.heard(self._call)
        self._trying.succeeded()
        return message

    def _told(self, message: Any) -> Replayed | None:
        """What is worth telling of a message; from now on the replay would be resumed after it."""
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
    """Through whose eyes, as the wire has it."""
    match eyes:
        case int(seat):
            return wire.Viewpoint(seat=seat)
        case "spectator":
            return wire.Viewpoint(spectator=wire.Viewpoint.Spectator())
        case "everything":
            return wire.Viewpoint(everything=wire.Viewpoint.Everything())
        case None:
            return wire.Viewpoint()
