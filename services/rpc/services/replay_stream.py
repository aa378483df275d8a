"""ReplayGame: shows the steps of a game as fast as they were played. The caller can pause, seek and change the speed.

Answers to the caller go through the mailbox of the call, and so do heartbeats and the refusal when the server goes
down. Steps do not: we make the next step only when the caller has taken the one before. So a slow reader slows down its
own replay and nothing else.
"""

import asyncio
from collections.abc import AsyncIterator

from liarsdice.v1 import replay_service_pb2 as wire

from domain.freshness import CURRENT
from services.access.refusals import FieldInvalid
from services.access.sight import Sight
from services.archive.bounds import speed_of
from services.archive.pace import Pace
from services.desk.desk import Desk
from services.desk.film import Film, Reader, open_film
from services.live.mailbox import Mailbox
from services.live.pulse import Pulse
from services.rpc import replay_jobs
from services.rpc.gate import Call, Gate
from services.rpc.live_encoder import heartbeat
from services.rpc.method import parsed
from services.rpc.parsing import game_id_of
from services.rpc.replay_encoding import freshness_message
from services.rpc.replay_parsing import viewpoint_of, wait_seconds_max_of
from services.rpc.wrapping import wrapped

_HEARTBEAT = wire.ReplayGameResponse.HEARTBEAT_FIELD_NUMBER


class ReplayStream:
    """One ReplayGame call."""

    def __init__(self, gate: Gate, pulse: Pulse, call: Call) -> None:
        self._gate, self._pulse, self._call = gate, pulse, call
        self._mailbox = Mailbox()
        self._all_asked = False
        self._film: Film
        self._pace: Pace

    async def run(self, requests: AsyncIterator[bytes], desk: Desk, sight: Sight) -> None:
        """Replay until all steps are shown and the caller has closed its side of the call."""
        messages = aiter(requests)
        raw = await anext(messages, None)
        if raw is None:
            return
        await self._open(parsed(raw, wire.ReplayGameRequest), desk, sight)
        self._tell_position()
        with self._pulse.attending(self._mailbox, self._heartbeat, self._call.renew):
            reading = asyncio.create_task(self._read(messages))
            try:
                await self._show_all()
                await reading
            finally:
                reading.cancel()

    def _heartbeat(self, now: int) -> bytes:
        return wrapped(_HEARTBEAT, heartbeat(now, self._mailbox.told))

    async def _open(self, request: wire.ReplayGameRequest, desk: Desk, sight: Sight) -> None:
        if request.WhichOneof("request") != "open":
            raise FieldInvalid(field="request", problem="must open a replay first")
        opening = request.open
        speed = speed_of(opening.speed or 1.0, "open.speed")
        wait_seconds_max = wait_seconds_max_of(opening)
        reader = Reader(game_id_of(opening), sight, viewpoint_of(opening.viewpoint), own_dice=True)
        self._film = await open_film(
            desk, self._call.payer, reader, replay_jobs.replayed_steps, with_views=opening.include_view
        )
        self._pace = Pace(
            self._film.times,
            self._film.check(opening.from_version or 1),
            speed=speed,
            wait_seconds_max=wait_seconds_max,
            clock=asyncio.get_running_loop().time,
        )
        if opening.paused:
            self._pace.pause()

    async def _read(self, messages: AsyncIterator[bytes]) -> None:
        try:
            async for raw in messages:
                self._gate.count(self._call)
                await self._call.renew()
                self._steer(parsed(raw, wire.ReplayGameRequest))
                self._tell_position()
        except Exception:
            self._mailbox.finish()  # This stops `_show_all`, so that `run` can raise the error and the caller sees it.
            raise
        self._all_asked = True
        self._finish_if_done()

    def _steer(self, request: wire.ReplayGameRequest) -> None:
        match request.WhichOneof("request"):
            case "pause":
                self._pace.pause()
            case "resume":
                self._pace.resume()
            case "seek":
                self._pace.seek(self._film.check(request.seek.version))
            case "speed":
                self._pace.change_speed(speed_of(request.speed.speed, "speed.speed"))
            case _:
                raise FieldInvalid(field="request", problem="must steer the replay, which is open already")

    async def _show_all(self) -> None:
        """Send steps when they are due, and in between what comes into the mailbox."""
        while True:
            try:
                async with asyncio.timeout_at(self._pace.due):
                    letter = await self._mailbox.take()
            except TimeoutError:
                await self._show_step()
                self._finish_if_done()
                continue
            if letter is None:
                return
            await self._call.send(letter)

    async def _show_step(self) -> None:
        version = self._pace.next
        step = await self._film.step(version)
        if self._pace.next != version or self._pace.due is None:
            return  # The caller has steered elsewhere meanwhile, or paused.
        self._pace.shown()
        self._mailbox.reached(version)
        self._mailbox.touch()
        await self._call.send(step)
        if self._pace.is_over:
            end = wire.ReplayEnd(version=version, final=self._film.final)
            await self._call.send(wire.ReplayGameResponse(end=end).SerializeToString())

    def _finish_if_done(self) -> None:
        """End the call if no more requests and no more steps can come."""
        if self._all_asked and self._pace.due is None:
            self._mailbox.finish()

    def _tell_position(self) -> None:
        position = wire.ReplayPosition(
            version=self._pace.version,
            last_version=self._pace.last,
            speed=self._pace.speed,
            paused=self._pace.paused,
            freshness=freshness_message(CURRENT),
        )
        self._mailbox.put(wire.ReplayGameResponse(position=position).SerializeToString())
