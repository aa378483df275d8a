"""Past games at the server: found, read, replayed and exported."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
from liarsdice.v1 import replay_service_pb2 as wire

from domain.values import Value
from services.client.line import Line
from services.client.past_answers import (
    Exported,
    Outcome,
    PastGame,
    PastRecord,
    PastSteps,
    StepSeen,
    past_game_of,
    past_round_of,
    past_step_of,
    seen_of,
)
from services.client.replaying import Eyes, Replaying, viewpoint_message
from services.client.trying import Trying
from services.wire.translation import enum_names, timestamp

_PAGE_SIZE = 50
_RESULTS = {name: number for number, name in enum_names(wire.GameResult.DESCRIPTOR).items()}


class GameFilter(Value, frozen=True, kw_only=True):
    """Which games are meant; times are milliseconds since 1970, of the creation in lists and of the end in exports."""

    player_id: str = ""
    rulebook: str = ""
    result: Outcome | None = None
    since: int | None = None
    until: int | None = None
    include_practice: bool = False


ALL_GAMES = GameFilter()


class PastGames:
    """Looks back at games."""

    def __init__(self, line: Line) -> None:
        """Use `Client.past`."""
        self._line = line

    async def games(self, wanted: GameFilter = ALL_GAMES) -> AsyncIterator[PastGame]:
        """Games to look back at, the newest first; further pages are asked for as needed."""
        request = wire.ListPastGamesRequest(filter=_filter(wanted), page_size=_PAGE_SIZE)
        while True:
            page = await self._line.ask(self._line.replays.ListPastGames, request)
            for game in page.games:
                yield past_game_of(game)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def record(self, game_id: str) -> PastRecord:
        """The record of a game, as one line of JSON."""
        answer = await self._line.ask(self._line.replays.GetRecord, wire.GetRecordRequest(game_id=game_id))
        return PastRecord(answer.record, answer.final)

    async def steps(self, game_id: str) -> PastSteps:
        """All steps of a game, with its rounds."""
        request = wire.ListStepsRequest(game_id=game_id)
        steps: list[wire.ReplayStep] = []
        while True:
            page = await self._line.ask(self._line.replays.ListSteps, request)
            steps += page.steps
            # A game that goes on may have grown meanwhile; what is there by the last page is told.
            if not page.steps or len(steps) >= page.last_version:
                rounds = tuple(past_round_of(played) for played in page.rounds)
                return PastSteps(tuple(past_step_of(step) for step in steps), rounds, page.final)
            request.after_version = len(steps)

    async def step(self, game_id: str, version: int | None = None, eyes: Eyes = None) -> StepSeen:
        """How a game stood after a step, or after the last, through somebody's eyes."""
        request = wire.GetStepRequest(game_id=game_id, version=version, viewpoint=viewpoint_message(eyes))
        return seen_of(await self._line.ask(self._line.replays.GetStep, request))

    def replay(
        self,
        game_id: str,
        eyes: Eyes = None,
        *,
        from_version: int = 1,
        speed: float = 1.0,
        wait_seconds_max: float | None = None,
        paused: bool = False,
    ) -> Replaying:
        """A game in its own time, to be entered with `async with`, read with `async for` and steered meanwhile."""
        opening = wire.OpenReplay(
            game_id=game_id,
            viewpoint=viewpoint_message(eyes),
            from_version=from_version,
            speed=speed,
            wait_seconds_max=wait_seconds_max,
            paused=paused,
            include_view=True,
        )
        return Replaying(self._line, opening)

    async def export(self, wanted: GameFilter = ALL_GAMES, after: str = "") -> AsyncIterator[Exported]:
        """The records of all games that are over, the oldest end first; an export that breaks is resumed."""
        request = wire.ExportRecordsRequest(filter=_filter(wanted), after=after)
        trying = Trying(self._line)
        while True:
            call: Any = self._line.replays.ExportRecords(request, metadata=self._line.metadata)
            try:
                while (message := await self._line.heard(call)) is not grpc.aio.EOF:
                    trying.succeeded()
                    request.after = message.resume_token
                    yield Exported(tuple(message.records), message.resume_token)
            except (grpc.aio.AioRpcError, TimeoutError) as error:
                await trying.again(error)
            else:
                return
            finally:
                call.cancel()


def _filter(wanted: GameFilter) -> wire.GameFilter:
    return wire.GameFilter(
        player_id=wanted.player_id,
        rulebook=wanted.rulebook,
        result=_RESULTS[wanted.result],  # type: ignore[arg-type]  # the stubs want their own integers
        since=None if wanted.since is None else timestamp(wanted.since),
        until=None if wanted.until is None else timestamp(wanted.until),
        include_practice=wanted.include_practice,
    )
