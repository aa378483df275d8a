"""Routes with event streams: running games live, and replays of games."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, cast

from litestar import Response, get
from litestar.params import QueryParameter
from litestar.response import Stream
from litestar.status_codes import HTTP_200_OK, HTTP_204_NO_CONTENT

from domain.freshness import CURRENT
from domain.refusals import Refusal
from domain.state import Ended
from services.access.refusals import StreamsTooMany
from services.archive.bounds import WAIT_SECONDS_DEFAULT
from services.archive.listing import GameListing
from services.archive.pace import Pace
from services.desk.film import Film, open_film
from services.desk.film import Reader as FilmReader
from services.http import jobs
from services.http.admission import Reader
from services.http.answers import SentEvent, StreamEnd
from services.http.event_stream import MEDIA_TYPE, kept_alive, written
from services.http.library import Library, Seen, Shelf, Who
from services.http.live_encoder import PLAIN
from services.http.parameters import Everything, GameId, IncludeView, LastEventId, Seat, Speed, Wait, viewpoint_of
from services.http.responses import OF_GAME, OF_STEP, failures, freshness_headers
from services.live.game import WatchedGame
from services.live.mailbox import Mailbox
from services.live.refusals import WatcherTooSlow
from services.tables.refusals import VersionAhead

_TAGS = ["streams"]
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""No cache may keep a stream, and no proxy may hold it back."""

Events = AsyncGenerator[bytes, None]


@get(
    "/games/{game_id:str}/live",
    operation_id="watchGame",
    summary="A game, live",
    tags=_TAGS,
    media_type=MEDIA_TYPE,
    responses=failures(*OF_GAME, VersionAhead, StreamsTooMany, is_tagged=False, ends=True),
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
    """First `game` with the game as it is now, then `step` for every event, and `end` when the game is over.

    You see what spectators see, with the delay of the table. With `Last-Event-ID` there is no `game`; the steps after
    that one come at once.
    """
    library.desk.budget.check(reader.payer)
    game = await library.watching.source.load(game_id)
    sight.check(game.about.protection)
    library.desk.budget.charge(reader.payer, game.version)
    shown = await library.watching.seen(game, None, reader.payer)
    if last_event_id is not None and last_event_id > shown.version:
        raise VersionAhead(version=shown.version, after_version=last_event_id, field="Last-Event-ID")
    if last_event_id == shown.version and isinstance(shown.state, Ended):
        return _nothing_more()
    events = _watched(library, reader, game, last_event_id, with_views=include_view)
    return _streamed(library, reader, "live", events)


@get(
    "/games/{game_id:str}/replay",
    operation_id="replayGame",
    summary="A replay of a game",
    tags=_TAGS,
    media_type=MEDIA_TYPE,
    responses=failures(*OF_STEP, StreamsTooMany, is_tagged=False, ends=True),
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
    """The steps of a game as `step`, with the same time between them as in the game, and then `end`.

    To pause, close the stream; to go on, open it again with `Last-Event-ID`, at another speed if you like. A running
    game is replayed up to its last step.
    """
    eyes = FilmReader(game_id, sight, viewpoint_of(seat, everything=everything))
    film = await open_film(library.desk, reader.payer, eyes, jobs.replayed_steps, with_views=include_view)
    if last_event_id is not None and film.check(last_event_id, first=0) == film.last:
        return _nothing_more()
    pace = Pace(
        film.times,
        film.check(first if last_event_id is None else last_event_id + 1),
        speed=speed,
        wait_seconds_max=wait_seconds_max,
        clock=asyncio.get_running_loop().time,
    )
    return _streamed(library, reader, "replay", _replayed(film, pace), freshness_headers(CURRENT))


async def _watched(
    library: Library, reader: Reader, game: WatchedGame[GameListing], after: int | None, *, with_views: bool
) -> Events:
    """The events of a game until it is over. A refusal, such as for a slow reader, ends them; the reader can resume."""
    mailbox = Mailbox()
    leave = await library.watching.enter(
        game,
        None,
        "",
        mailbox,
        PLAIN,
        payer=reader.payer,
        after=after,
        include_game=with_views,
        until_end=True,
    )
    try:
        while (letter := await mailbox.take()) is not None:
            yield letter
    except Refusal as refusal:
        if isinstance(refusal, WatcherTooSlow):
            library.metrics.dropped.inc()
    finally:
        leave()


async def _replayed(film: Film, pace: Pace) -> Events:
    clock = asyncio.get_running_loop().time
    while (due := pace.due) is not None:
        await asyncio.sleep(max(0.0, due - clock()))
        step = await film.step(pace.next)
        pace.shown()
        yield step
    yield written("end", StreamEnd(film.last, film.final))


def _streamed(
    library: Library, reader: Reader, kind: str, events: Events, headers: Mapping[str, str] = MappingProxyType({})
) -> Response[SentEvent]:
    library.streams.check(reader.payer)  # Here a refusal is still an answer; inside the stream it only ends it.

    async def counted() -> Events:
        with library.metrics.stream(kind), library.streams.opened(reader.payer):
            async for piece in kept_alive(events, library.heartbeat_seconds, library.draining, reader.renew):
                yield piece

    stream: Any = Stream(counted(), status_code=HTTP_200_OK, media_type=MEDIA_TYPE, headers={**_HEADERS, **headers})
    return cast("Response[SentEvent]", stream)


def _nothing_more() -> Response[Any]:
    """An empty answer: an `EventSource` does not connect again after it."""
    return Response(None, status_code=HTTP_204_NO_CONTENT, headers={"Cache-Control": "no-store"})


ROUTES = (live, replay)
