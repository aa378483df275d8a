"""The one module that puts the program together. Read it to see which parts there are and which part uses which.

`serving` is the whole game server: games, players, bots, clocks, watchers, gRPC and HTTP. `reading` is the HTTP
service, in the same process or alone on a store that other processes write to. It needs no keys.
"""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from domain.values import Value
from infra.events.mapping import EventMapper, EventTranscoder
from infra.keys.key_ring import KeyRing
from infra.keys.log_keys import SignerRing
from infra.portions import REST_SECONDS
from infra.postgres.audit_log import AuditLog
from infra.postgres.duties import duties_of
from infra.postgres.event_reader import EventReader
from infra.postgres.feed import Feed
from infra.postgres.log_reader import LogReader
from infra.postgres.players import PlayerStore
from infra.postgres.store import EventStore
from infra.workers.pool import Pool
from services.access.bars import Bars
from services.access.budget import Budget
from services.access.connections import Connections, in_all_max
from services.access.identity import Identities, Registry, TrustedIssuer
from services.access.loop_share import LoopShare
from services.access.open_streams import OpenStreams
from services.access.payer import Payer
from services.access.rate_limit import AddressLimit, RateLimit
from services.access.table_events import TABLE_TOPICS
from services.app.descriptors import descriptor_limit
from services.app.limits import bars_of, gates, limits_of_reading
from services.app.readiness import ModelReadiness, problem_of_database
from services.app.server_metrics import SeenEvents, ServerMetrics
from services.app.settings import HttpSettings, Settings
from services.archive.archive import Archive
from services.audit.disputes import Disputes, Examine
from services.audit.examination import Examination
from services.audit.logbook import Logbook
from services.audit.store_check import StoreCheck, begin_check, cancelled
from services.clubs.clubs import Clubs
from services.connect.door import PREFIX, Door
from services.desk.desk import Desk
from services.desk.examined_round import examined_round
from services.desk.sources import open_sources, sources_of
from services.http.admission import Admission
from services.http.app import application, layered
from services.http.delivery import App
from services.http.health import Content, Ready, telling_health
from services.http.library import Library, Prepare
from services.http.live_encoder import SseEncoder
from services.http.page.site import read_site
from services.http.request_metrics import Counted, Metrics
from services.http.routes.operations import metrics_page
from services.http.schema.config import prepare
from services.http.server import HttpServer
from services.live.archive_source import ArchiveSource
from services.live.hub import Hub
from services.live.pulse import Pulse
from services.live.table_source import TableSource
from services.live.watching import Watching
from services.projector.background import projecting
from services.projector.metrics import MEDIA_TYPE, METRICS_PATH
from services.projector.status import problem_of_models
from services.projector.watermarks import Watermarks, watermarks
from services.rpc.live_encoder import RpcEncoder
from services.rpc.server import RpcServer
from services.rpc.services.audit_service import AuditService
from services.rpc.services.club_service import ClubService
from services.rpc.services.game_service import GameService
from services.rpc.services.player_service import PlayerService
from services.rpc.services.replay_service import ReplayService
from services.rpc.services.statistics_service import StatisticsService
from services.tables.allowance import Allowance
from services.tables.application import GameApplication
from services.tables.host import GameHost
from services.tables.lobby import Lobby
from services.tables.request_marks import RequestMarks
from services.tables.steward import Steward
from services.tables.table_store import Tables

_LISTENERS = 2
"""gRPC and HTTP share the descriptors of a game server."""


class Shared(Value, frozen=True, eq=False):
    """What gRPC and HTTP share in one process."""

    streams: OpenStreams
    budget: Budget
    pool: Pool | None
    prepare: Prepare
    bars: Bars | None
    doors: Mapping[str, App]
    """What else HTTP serves, by the beginning of its paths."""
    marks: Watermarks


class Reading(Value, frozen=True):
    """The HTTP service while it runs."""

    url: str
    library: Library
    metrics: str | None
    """The address of the metrics, if they have one of their own."""


class Serving(Value, frozen=True):
    """A running server, with the parts that tests and commands look at."""

    address: str
    server: RpcServer
    host: GameHost
    identities: Registry
    pulse: Pulse
    logbook: Logbook
    archive: Archive
    desk: Desk
    reading: Reading | None
    bars: Bars | None
    counted: Counted


@asynccontextmanager
async def serving(
    url: str, keys: KeyRing, log_keys: SignerRing, settings: Settings, issuer: TrustedIssuer | None = None
) -> AsyncIterator[Serving]:
    """Run the game server on a migrated database until the block ends."""
    async with AsyncExitStack() as stack:
        store = await EventStore.open(url)
        stack.push_async_callback(store.close)
        mapper = EventMapper(EventTranscoder(keys, must_open=True))
        log = await AuditLog.open(url)
        stack.push_async_callback(log.close)
        checking = await begin_check(StoreCheck(store, log, mapper, log_keys.vkeys), store, settings.check_events_max)
        stack.push_async_callback(cancelled, checking)
        games = GameApplication(store, mapper)
        tables = Tables(store, EventMapper(EventTranscoder(keys, must_open=True, topics=TABLE_TOPICS)), os.urandom)
        host = GameHost(games, tables, RequestMarks(keys), Allowance(store, games, settings.limits))
        players = await PlayerStore.open(url)
        stack.push_async_callback(players.close)
        identities = Registry(players, issuer)
        feed = await Feed.open(store)
        stack.push_async_callback(feed.close)
        duties = await stack.enter_async_context(duties_of(url, store.lanes))
        lobby = await Lobby.open(host, store, feed, duties=duties, unstarted_seconds=settings.unstarted_seconds)
        stack.push_async_callback(lobby.close)
        logbook = Logbook(store, feed, log, mapper, log_keys, duties=duties, policy=settings.policy)
        await logbook.start()
        stack.push_async_callback(logbook.close)
        archive = await Archive.open(url, store.lanes, mapper, rest_seconds=REST_SECONDS)
        stack.push_async_callback(archive.close)
        if settings.projects:
            await stack.enter_async_context(projecting(url, store.lanes, feed))
        now = lambda: host.now()  # noqa: E731, PLW0108 - a test may replace the clock
        marks = await stack.enter_async_context(watermarks(archive.pool, store.lanes, now))
        steward = Steward(
            host,
            lobby,
            store,
            duties=duties,
            bot_seconds=settings.bot_seconds,
            bot_rate=settings.bot_rate,
            sweep_seconds=settings.sweep_seconds,
            unstarted_seconds=settings.unstarted_seconds,
        )
        steward.start()
        stack.push_async_callback(steward.close)
        pulse = Pulse(settings.heartbeat_seconds)
        pulse.start()
        hub = Hub(TableSource(host, feed, mapper), RpcEncoder(now), feed, hears_own=True)
        store.listeners.append(hub.announced)
        streams, budget = limits_of_reading(settings)
        bars = bars_of(settings)
        gate, registering = gates(settings, identities, streams, budget, bars)
        pool = await stack.enter_async_context(workers(url, settings.workers))
        desk = Desk(sources_of(archive, store, log), pool, budget)
        services = (
            GameService(gate, host, lobby, hub, pulse, signers=log_keys),
            PlayerService(gate, registering, identities),
            AuditService(gate, host, desk, logbook, Disputes(store, _examination(desk, logbook), host)),
            ReplayService(gate, host, pulse, archive, desk, marks=marks),
            StatisticsService(gate, host, pulse, desk, marks=marks),
            ClubService(gate, host, Clubs(store, keys, archive.pool, now), desk, pulse, marks=marks),
        )
        door = Door([service.served() for service in services], gate.of_address, lambda: pulse.draining)
        server = RpcServer(
            services,
            gate,
            pulse,
            connections_max=in_all_max(descriptor_limit(), _LISTENERS),
            address_connections=settings.address_connections,
            bars=bars,
            with_channelz=settings.channelz,
            shares_port=settings.processes > 1,
        )

        counted = ServerMetrics(
            store=store,
            gate=gate,
            pulse=pulse,
            commands=host.commands,
            duties=duties,
            followers={"lobby": lobby, "log": logbook},
            logbook=logbook,
            steward=steward,
            heads={},
        )
        reader = await stack.enter_async_context(
            _serving_readers(
                store,
                feed,
                identities,
                settings,
                shared=Shared(streams, budget, pool, logbook.prepare, bars, {PREFIX: door}, marks),
                now=now,
                counted=(counted,),
            )
        )
        # The port that health checks ask comes last: when they find it, everything else answers too.
        await server.start(settings.listen, settings.tls, plaintext_anywhere=settings.plaintext_anywhere)
        stack.push_async_callback(server.stop, settings.grace_seconds)
        # Streams of all protocols end first; each server would wait for those that it carries.
        stack.push_async_callback(server.drain)
        yield Serving(server.address, server, host, identities, pulse, logbook, archive, desk, reader, bars, counted)


@asynccontextmanager
async def reading(
    store: EventReader,
    feed: Feed,
    identities: Identities,
    settings: HttpSettings,
    *,
    now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    shared: Shared | None = None,
    counted: Sequence[Counted] = (),
) -> AsyncIterator[Reading]:
    """Run the HTTP service until the block ends; `now` returns the time in milliseconds since 1970.

    In the process of the game server it shares limits and workers with gRPC.
    """
    async with AsyncExitStack() as stack:
        archive = await Archive.open(store.url, store.lanes, rest_seconds=REST_SECONDS)
        stack.push_async_callback(archive.close)
        if shared is None:
            pool = await stack.enter_async_context(workers(store.url, settings.workers))
            marks = await stack.enter_async_context(watermarks(archive.pool, store.lanes, now))
            shared = Shared(*limits_of_reading(settings), pool, _nothing_to_prepare, bars_of(settings), {}, marks)
        log = await LogReader.open(store.url)
        stack.push_async_callback(log.close)
        of_player, of_address = RateLimit(settings.player_rate), AddressLimit(settings.address_rate, bars=shared.bars)
        problem = problem_of_models if settings.minds_models else problem_of_database
        readiness = ModelReadiness(
            lambda: problem(archive.pool), shared.marks, waits_for_models=settings.waits_for_models
        )
        library = Library(
            archive=archive,
            desk=Desk(sources_of(archive, store, log), shared.pool, shared.budget),
            streams=shared.streams,
            log=log,
            prepare=shared.prepare,
            watching=Watching(Hub(ArchiveSource(archive, now), SseEncoder(), feed), shared.budget),
            admission=Admission(identities, of_player),
            metrics=Metrics((SeenEvents(feed), *counted)),
            now=now,
            watermarks=shared.marks,
            readiness=readiness,
            heartbeat_seconds=settings.heartbeat_seconds,
            draining=asyncio.Event(),
        )
        site = await asyncio.to_thread(read_site)
        app = application(library, site, with_metrics=settings.with_metrics)
        preparing = asyncio.create_task(prepare(app))
        stack.push_async_callback(asyncio.wait, [preparing])
        places = Connections(in_all_max(descriptor_limit(), settings.listeners), settings.address_connections)
        layers = layered(app, library, of_address, site, cors_origins=settings.cors_origins, doors=shared.doors)
        share = LoopShare() if settings.address_rate else None
        server = HttpServer(layers, library.draining, places, shared.bars, share)
        await server.start(
            settings.listen,
            settings.tls,
            plaintext_anywhere=settings.plaintext_anywhere,
            flag=settings.flag,
            shares_port=settings.shares_port,
        )
        stack.push_async_callback(server.stop, settings.grace_seconds)
        measured = None
        if settings.metrics is not None:
            measured = await stack.enter_async_context(
                _serving_metrics(settings.metrics, lambda: metrics_page(library))
            )
        yield Reading(f"{'http' if settings.tls is None else 'https'}://{server.address}", library, measured)


@asynccontextmanager
async def _serving_readers(
    store: EventReader,
    feed: Feed,
    identities: Identities,
    settings: Settings,
    *,
    shared: Shared,
    now: Callable[[], int],
    counted: Sequence[Counted],
) -> AsyncIterator[Reading | None]:
    """The HTTP service of a game server; without it, the metrics if they have an address of their own."""
    if settings.http is not None:
        async with reading(
            store, feed, identities, _for_readers(settings), shared=shared, now=now, counted=counted
        ) as reader:
            yield reader
    elif settings.metrics is not None:
        async with _serving_metrics(settings.metrics, Metrics(counted).page):
            yield None
    else:
        yield None


def _examination(desk: Desk, logbook: Logbook) -> Examine:
    """Examines disputed rounds at the desk, at the cost of the player who disputes."""

    async def examine(game_id: str, round_number: int, player_id: str) -> Examination:
        await logbook.prepare(game_id, round_number)
        payer = Payer(player_id, player_id)
        return await desk.ask_patiently(payer, game_id, examined_round, game_id, round_number)

    return examine


@asynccontextmanager
async def workers(url: str, count: int) -> AsyncIterator[Pool | None]:
    """Workers that read a store, until the block ends; None for no workers."""
    if not count:
        yield None
        return
    pool = Pool(count, open_sources, url)
    await pool.start()
    try:
        yield pool
    finally:
        await pool.close()


async def _nothing_to_prepare(_game_id: str, _round_number: int | None) -> None:
    """Nothing: another process writes the log."""


def _for_readers(settings: Settings) -> HttpSettings:
    return HttpSettings(
        listen=settings.http or "",
        flag="--http",
        metrics=settings.metrics,
        tls=settings.tls,
        plaintext_anywhere=settings.plaintext_anywhere,
        cors_origins=settings.cors_origins,
        player_rate=settings.player_rate,
        address_rate=settings.address_rate,
        heartbeat_seconds=settings.heartbeat_seconds,
        grace_seconds=settings.grace_seconds,
        address_connections=settings.address_connections,
        listeners=_LISTENERS,
        shares_port=settings.processes > 1,
        minds_models=settings.projects,
        waits_for_models=False,
    )


@asynccontextmanager
async def _serving_metrics(address: str, page: Content) -> AsyncIterator[str]:
    """Serve metrics on an address of their own; yields it with the real port."""

    async def ready() -> Ready:
        return Ready()

    async with telling_health(address, ready, {METRICS_PATH: (MEDIA_TYPE, page)}) as told:
        yield told
