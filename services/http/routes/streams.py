"""Routes with streams of events: tables that are played at, and games replayed in their own time."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Annotated, Any, cast

from litestar import Response, get
from litestar.params import QueryParameter
from litestar.response import Stream
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from domain.events import GameAbandoned, GameEnded, GameStarted
from domain.evolve import fold
from domain.history.replaying import Step
from domain.state import State
from domain.views import seen_by, view
from infra.events.mapping import read_without_keys
from services.archive.archive import Watched
from services.archive.bounds import WAIT_SECONDS_DEFAULT
from services.archive.pace import Pace
from services.archive.reel import Reel
from services.http.admission import Reader
from services.http.answers import GameShown, LiveStep, SentEvent, StreamEnd
from services.http.event_stream import MEDIA_TYPE, kept_alive, written
from services.http.events import step_answer
from services.http.library import Library, Seen, Shelf, Who
from services.http.parameters import Everything, GameId, IncludeView, LastEventId, Seat, Speed, Wait, viewpoint_of
from services.http.responses import OF_GAME, failures
from services.live.refusals import VersionAhead

_TAGS = ["streams"]
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""What is said on the way must not be kept, nor held back by a proxy."""

Events = AsyncGenerator[bytes, None]


@get(
    "/games/{game_id:str}/live",
    operation_id="watchGame",
    summary="A table, live",
    tags=_TAGS,
    media_type=MEDIA_TYPE,
    responses=failures(*OF_GAME, is_tagged=False, ends=True),
)
async def live(
    *,
    game_id: GameId,
    library: Shelf,
    reader: Who,
    sight: Seen,
    include_view: IncludeView = False,
    last_event_id: LastEventId = None,
) -> Response[SentEvent]:
    """First `game`, how the table stands, then `step` for everything that happens, and `end` when the game is over.

    Everybody sees what spectators see, as late as they see it. With `Last-Event-ID` there is no `game`, and the
    steps after that one come.
    """
    watched = await library.archive.watched(game_id, sight)
    version = len(watched.steps)
    if last_event_id is not None and last_event_id > version:
        raise VersionAhead(version=version, after_version=last_event_id)
    if last_event_id == version and _is_over(watched.steps):
        return _nothing_more()
    table = _Table(library, game_id, watched, with_views=include_view)
    return _streamed(library, reader, "live", table.followed(last_event_id))


@get(
    "/games/{game_id:str}/replay",
    operation_id="replayGame",
    summary="A game in its own time",
    tags=_TAGS,
    media_type=MEDIA_TYPE,
    responses=failures(*OF_GAME, is_tagged=False, ends=True),
)
async def replay(
    *,
    game_id: GameId,
    library: Shelf,
    reader: Who,
    sight: Seen,
    speed: Speed = 1.0,
    wait_seconds_max: Wait = WAIT_SECONDS_DEFAULT,
    first: Annotated[int, QueryParameter(name="from", ge=1, le=2**31 - 1, description="The step to begin with.")] = 1,
    seat: Seat = None,
    everything: Everything = False,
    include_view: IncludeView = False,
    last_event_id: LastEventId = None,
) -> Response[SentEvent]:
    """The steps of a game as `step`, as far apart as they were when it was played, and then `end`.

    To pause, close the stream; to go on, open it again with `Last-Event-ID`, at another speed if you like. A game that
    goes on is replayed up to its last step.
    """
    viewpoint = viewpoint_of(seat, everything=everything)
    replayed = await library.archive.replay(game_id, sight)
    reel = Reel(replayed.replay, viewpoint)
    if last_event_id is not None and reel.check(last_event_id, first=0) == reel.last:
        return _nothing_more()
    pace = Pace(
        [event.at for event in replayed.replay.events],
        reel.check(first if last_event_id is None else last_event_id + 1),
        speed=speed,
        wait_seconds_max=wait_seconds_max,
        clock=asyncio.get_running_loop().time,
    )
    events = _replayed(reel, pace, final=replayed.final, with_views=include_view)
    return _streamed(library, reader, "replay", events)


class _Table:
    """A table that somebody watches."""

    def __init__(self, library: Library, game_id: str, watched: Watched, *, with_views: bool) -> None:
        self._feed, self._now = library.feed, library.now
        self._game_id, self._watched, self._with_views = game_id, watched, with_views
        self._state: State

    async def followed(self, after: int | None) -> Events:
        """How the table stands, or what has happened after a step, and then what happens."""
        steps = self._watched.steps
        seen = len(steps) if after is None else after
        self._state = fold(step.event for step in steps[:seen])
        if after is None:
            yield written("game", GameShown(seen, view(self._state, None)), seen)
        for step in steps[seen:]:
            yield self._shown(step)
        if not _is_over(steps):
            async for step in self._coming():
                yield self._shown(step)
                if _is_over((step,)):
                    steps = (step,)
                    break
        yield written("end", StreamEnd(steps[-1].version, final=True))

    async def _coming(self) -> AsyncGenerator[Step, None]:
        begun = any(isinstance(step.event, GameStarted) for step in self._watched.steps)
        with self._feed.stream(self._game_id, len(self._watched.steps)) as subscription:
            async for stored in subscription:
                event, digest = read_without_keys(stored.topic, stored.state)
                await asyncio.sleep(self._watched.delay.wait_seconds(event, self._now(), begun=begun))
                begun = begun or isinstance(event, GameStarted)
                yield Step(stored.originator_version, seen_by(event, None), digest)

    def _shown(self, step: Step) -> bytes:
        self._state = fold((step.event,), self._state)
        seen = view(self._state, None) if self._with_views else None
        return written("step", LiveStep(step_answer(step), seen), step.version)


async def _replayed(reel: Reel, pace: Pace, *, final: bool, with_views: bool) -> Events:
    clock = asyncio.get_running_loop().time
    while (due := pace.due) is not None:
        await asyncio.sleep(max(0.0, due - clock()))
        version = pace.next
        seen = reel.view(version) if with_views else None
        pace.shown()
        yield written("step", LiveStep(step_answer(reel.step(version)), seen), version)
    yield written("end", StreamEnd(reel.last, final))


def _streamed(library: Library, reader: Reader, kind: str, events: Events) -> Response[SentEvent]:
    async def counted() -> Events:
        with library.metrics.stream(kind):
            async for piece in kept_alive(events, library.heartbeat_seconds, library.draining, reader.renew):
                yield piece

    stream: Any = Stream(counted(), status_code=HTTP_200_OK, media_type=MEDIA_TYPE, headers=_HEADERS)
    return cast("Response[SentEvent]", stream)


def _nothing_more() -> Response[Any]:
    """The answer at which an `EventSource` does not come back."""
    return Response(None, status_code=HTTP_204_NO_CONTENT, headers={"Cache-Control": "no-store"})


def _is_over(steps: tuple[Step, ...]) -> bool:
    return bool(steps) and isinstance(steps[-1].event, GameEnded | GameAbandoned)


ROUTES = (live, replay)
