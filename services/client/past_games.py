"""Past games at the server: the list, the record, the steps, the proof, replays and the export."""

from collections.abc import AsyncIterator

from liarsdice.v1 import audit_service_pb2
from liarsdice.v1 import replay_service_pb2 as wire

from domain.freshness import ModelFreshness
from domain.values import Value
from services.client.channel import Channel
from services.client.past_answers import (
    Exported,
    Outcome,
    PastGame,
    PastGamesPage,
    PastRecord,
    PastSteps,
    ServerFreshness,
    StepSeen,
    freshness_of,
    past_game_of,
    past_round_of,
    past_step_of,
    seen_of,
)
from services.client.replay import Eyes, Replaying, viewpoint_message
from services.client.resumed_export import resumed_export
from services.wire.translation import enum_names, from_message, milliseconds, timestamp

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
    """Reads past games, and running ones as far as the player may see them."""

    def __init__(self, channel: Channel) -> None:
        """Use `Client.past`."""
        self._channel = channel

    async def games(self, wanted: GameFilter = ALL_GAMES) -> AsyncIterator[PastGame]:
        """Games to look back at, the newest first; further pages are asked for as needed."""
        async for page in self.pages(wanted):
            for game in page.games:
                yield game

    async def pages(self, wanted: GameFilter = ALL_GAMES) -> AsyncIterator[PastGamesPage]:
        """The same page by page, each with how fresh it is."""
        request = wire.ListPastGamesRequest(filter=_filter(wanted), page_size=_PAGE_SIZE)
        async for page in self._channel.pages(self._channel.replays.ListPastGames, request):
            yield _page_of(page)

    async def freshness(self) -> ServerFreshness:
        """How fresh lists, exports and statistics of this server are."""
        answer = await self._channel.ask(self._channel.replays.GetFreshness, wire.GetFreshnessRequest())
        models = tuple(from_message(model, ModelFreshness) for model in answer.models)
        return ServerFreshness(milliseconds(answer.now), models)

    async def page(self, wanted: GameFilter = ALL_GAMES, *, size: int = _PAGE_SIZE, token: str = "") -> PastGamesPage:
        """One page of the list, 1 to 100 games long; `token` is that of the page before."""
        request = wire.ListPastGamesRequest(filter=_filter(wanted), page_size=size, page_token=token)
        answer = await self._channel.ask(self._channel.replays.ListPastGames, request)
        return _page_of(answer)

    async def record(self, game_id: str) -> PastRecord:
        """The record of a game, as one line of JSON."""
        answer = await self._channel.ask(self._channel.replays.GetRecord, wire.GetRecordRequest(game_id=game_id))
        return PastRecord(answer.record, answer.final, freshness_of(answer))

    async def steps(self, game_id: str) -> PastSteps:
        """All steps of a game, with its rounds."""
        request = wire.ListStepsRequest(game_id=game_id)
        steps: list[wire.ReplayStep] = []
        while True:
            page = await self._channel.ask(self._channel.replays.ListSteps, request)
            steps += page.steps
            # A running game may have grown meanwhile; the answer ends with what the last page has.
            if not page.steps or len(steps) >= page.last_version:
                rounds = tuple(past_round_of(played) for played in page.rounds)
                every = tuple(past_step_of(step) for step in steps)
                return PastSteps(every, rounds, page.final, freshness_of(page))
            request.after_version = len(steps)

    async def step(self, game_id: str, version: int | None = None, eyes: Eyes = None) -> StepSeen:
        """How a game stood after a step, or after the last, through somebody's eyes."""
        request = wire.GetStepRequest(game_id=game_id, version=version, viewpoint=viewpoint_message(eyes))
        return seen_of(await self._channel.ask(self._channel.replays.GetStep, request))

    async def bundle(self, game_id: str, number: int | None = None, *, code: str = "") -> bytes:
        """The proof of a round that is over, or of a whole game, for `services.verifier` to check."""
        request = audit_service_pb2.GetAuditRequest(game_id=game_id, round=number, invitation_code=code)

        # Much work for the server, so a try may take all the time there is. It is made again while the log is behind.
        async def attempt(seconds_left: float) -> audit_service_pb2.GetAuditResponse:
            return await self._channel.ask_once(self._channel.audit.GetAudit, request, seconds_left)

        return (await self._channel.retry().call(attempt)).bundle

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
        """A game in its own time: enter it with `async with`, read it with `async for`, and steer it meanwhile."""
        opening = wire.OpenReplay(
            game_id=game_id,
            viewpoint=viewpoint_message(eyes),
            from_version=from_version,
            speed=speed,
            wait_seconds_max=wait_seconds_max,
            paused=paused,
            include_view=True,
        )
        return Replaying(self._channel, opening)

    async def export(self, wanted: GameFilter = ALL_GAMES, after: str = "") -> AsyncIterator[Exported]:
        """The records of all games that are over, each once; an export that breaks is resumed.

        With `after`, the last `resume_token` of an earlier export with the same filter, only those that are new.
        """
        request = wire.ExportRecordsRequest(filter=_filter(wanted), after=after)
        async for part in resumed_export(self._channel, self._channel.replays.ExportRecords, request):
            yield part


def _filter(wanted: GameFilter) -> wire.GameFilter:
    return wire.GameFilter(
        player_id=wanted.player_id,
        rulebook=wanted.rulebook,
        result=_RESULTS[wanted.result],  # type: ignore[arg-type]  # the stubs want their own integers
        since=None if wanted.since is None else timestamp(wanted.since),
        until=None if wanted.until is None else timestamp(wanted.until),
        include_practice=wanted.include_practice,
    )


def _page_of(answer: wire.ListPastGamesResponse) -> PastGamesPage:
    games = tuple(past_game_of(game) for game in answer.games)
    return PastGamesPage(games, answer.next_page_token or None, freshness_of(answer))
