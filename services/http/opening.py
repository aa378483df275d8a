"""How the HTTP service is put together, on a store that others may write to; it opens what it reads without keys."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import asyncpg

from domain.values import Value
from infra.postgres.connections import PASSING
from infra.postgres.event_reader import EventReader
from infra.postgres.feed import Feed
from infra.postgres.log_reader import LogReader
from services.access.endpoint import Tls
from services.access.identity import Identities
from services.access.rate_limit import RateLimit
from services.archive.archive import Archive
from services.audit.audits import Audits
from services.audit.dispute_reader import DisputeReader
from services.audit.logbook import Logbook
from services.audit.rounds import Rounds
from services.http.admission import Admission
from services.http.app import application, layered
from services.http.library import Library
from services.http.measuring import Counts, Metrics
from services.http.schema import prepare
from services.http.server import HttpServer
from services.projector.status import LOOK_SECONDS_MAX, problem_of_models


class HttpSettings(Value, frozen=True, kw_only=True):
    """What an operator can choose."""

    listen: str = "127.0.0.1:0"
    flag: str = "--listen"
    """The flag that says where it listens."""
    tls: Tls | None = None
    plaintext_anywhere: bool = False
    cors_origins: tuple[str, ...] = ()
    player_rate: float = 0.0
    """How many requests a second one player may make; 0 for no limit."""
    address_rate: float = 0.0
    heartbeat_seconds: float = 15.0
    grace_seconds: float = 5.0
    minds_models: bool = False
    """Whether it counts as not ready while a read model is at fault: only where this process keeps them up to date."""


class Reading(Value, frozen=True):
    """The service while it runs."""

    url: str
    library: Library


@asynccontextmanager
async def reading(
    store: EventReader,
    feed: Feed,
    identities: Identities,
    settings: HttpSettings,
    *,
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    logbook: Logbook | None = None,
    counts: Counts = dict,
) -> AsyncIterator[Reading]:
    """Serve readers until the block ends; `now` tells the time in milliseconds since 1970.

    Only the process that keeps the log has a logbook.
    """
    async with AsyncExitStack() as stack:
        archive = await Archive.open(store.url, store.lanes)
        stack.push_async_callback(archive.close)
        log = await LogReader.open(store.url)
        stack.push_async_callback(log.close)
        of_player, of_address = RateLimit(settings.player_rate), RateLimit(settings.address_rate)
        problem = problem_of_models if settings.minds_models else _problem_of_database
        library = Library(
            archive=archive,
            rounds=Rounds(log, DisputeReader(store)),
            log=log,
            audits=Audits(store, log, logbook),
            feed=feed,
            admission=Admission(identities, of_player, of_address),
            metrics=Metrics(lambda: {"events_seen_total": sum(feed.positions), **counts()}),
            now=now,
            problem=lambda: problem(archive.pool),
            heartbeat_seconds=settings.heartbeat_seconds,
            draining=asyncio.Event(),
        )
        app = application(library, settings.cors_origins)
        preparing = asyncio.create_task(prepare(app))
        stack.push_async_callback(asyncio.wait, [preparing])
        server = HttpServer(layered(app, library), library.draining)
        await server.start(
            settings.listen, settings.tls, plaintext_anywhere=settings.plaintext_anywhere, flag=settings.flag
        )
        stack.push_async_callback(server.stop, settings.grace_seconds)
        yield Reading(f"{'http' if settings.tls is None else 'https'}://{server.address}", library)


async def _problem_of_database(pool: "asyncpg.Pool[Any]") -> str | None:
    try:
        async with asyncio.timeout(LOOK_SECONDS_MAX):
            await pool.fetchval("SELECT 1")
    except (*PASSING, asyncpg.PostgresError):
        return "the database can't be used"
    return None
