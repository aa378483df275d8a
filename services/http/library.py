"""The library: everything that the routes read from. Nothing in it has a key."""

import asyncio
from collections.abc import Awaitable, Callable

from litestar.di import NamedDependency
from litestar.params import SkipValidation

from domain.statistics.answers import Span
from domain.values import Value
from infra.postgres.log_reader import LogReader
from services.access.open_streams import OpenStreams
from services.access.sight import Sight
from services.archive.archive import Archive, Wanted
from services.archive.listing import GameListing
from services.desk.desk import Desk
from services.http.admission import Admission, Reader
from services.http.health import Readiness
from services.http.request_metrics import Metrics
from services.live.watching import Watching
from services.projector.watermarks import Watermarks

Prepare = Callable[[str, int | None], Awaitable[None]]


class Library(Value, frozen=True, kw_only=True, eq=False):
    """Everything that the routes need."""

    archive: Archive
    desk: Desk
    """Takes reads whose cost grows with a game or the store."""
    streams: OpenStreams
    log: LogReader
    prepare: Prepare
    """Waits until the log has the end of a round or a game, if this process writes the log."""
    watching: Watching[GameListing]
    admission: Admission
    metrics: Metrics
    now: Callable[[], int]
    """The time, in milliseconds since 1970."""
    watermarks: Watermarks
    """Knows how fresh the read models are."""
    readiness: Readiness
    heartbeat_seconds: float
    draining: asyncio.Event
    """Set when the server goes down."""


Shelf = NamedDependency[SkipValidation[Library]]
Who = NamedDependency[SkipValidation[Reader]]
Seen = NamedDependency[SkipValidation[Sight]]
Filter = NamedDependency[SkipValidation[Wanted]]
Era = NamedDependency[SkipValidation[Span]]
