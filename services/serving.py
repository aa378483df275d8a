"""One process with everything: games, players, bots, clocks, watchers, the gRPC server and HTTP, put together."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from domain.values import Value
from infra.events.mapping import EventMapper, EventTranscoder
from infra.keys.key_ring import KeyRing
from infra.keys.log_keys import SignerRing
from infra.postgres.audit_log import AuditLog
from infra.postgres.feed import Feed
from infra.postgres.players import PlayerStore
from infra.postgres.store import EventStore
from services.access.endpoint import Tls
from services.access.identity import Identities, TrustedIssuer
from services.access.rate_limit import RateLimit
from services.access.table_events import TABLE_TOPICS
from services.archive.archive import Archive
from services.archive.statistics import Statistics
from services.audit.audits import Audits
from services.audit.dispute_reader import DisputeReader
from services.audit.disputes import Disputes
from services.audit.logbook import Logbook
from services.audit.published_log import PublishedLog
from services.audit.rounds import Rounds
from services.audit.store_check import StoreCheck, begin_check, cancelled
from services.http.opening import HttpSettings, Reading, reading
from services.projector.background import projecting
from services.rpc.audit_service import AuditService
from services.rpc.broadcast import Hub
from services.rpc.calls import Gate
from services.rpc.game_service import GameService
from services.rpc.player_service import PlayerService
from services.rpc.replay_service import ReplayService
from services.rpc.server import RpcServer
from services.rpc.statistics_service import StatisticsService
from services.tables.application import GameApplication
from services.tables.host import GameHost
from services.tables.lobby import Lobby
from services.tables.steward import Steward
from services.tables.table_store import Tables

REGISTER_BURST_SECONDS = 30.0
"""A class or a party that begins to play together registers from one address."""


class Settings(Value, frozen=True, kw_only=True):
    """What an operator can choose."""

    listen: str = "127.0.0.1:0"
    http: str | None = None
    """Where games can be read over HTTP; None for nowhere."""
    cors_origins: tuple[str, ...] = ()
    tls: Tls | None = None
    plaintext_anywhere: bool = False
    bot_seconds: float = 0.0
    sweep_seconds: float = 0.5
    unstarted_seconds: float = 0.0
    """How long a table that nobody starts is kept after it was last touched; 0 for ever."""
    heartbeat_seconds: float = 15.0
    player_rate: float = 0.0
    """How many calls and commands a second one player may make; 0 for no limit."""
    address_rate: float = 0.0
    register_rate: float = 0.0
    """How many players a second may be registered from one address; 0 for as many as other calls."""
    check_events_max: int = 0
    """A store with at most so many events is checked before it is served, a larger one meanwhile; 0 for no check."""
    grace_seconds: float = 5.0
    projects: bool = True
    """Whether the read models are kept up to date by this process."""
    channelz: bool = False


class Serving(Value, frozen=True):
    """A server that runs, with the parts that tests and commands look at."""

    address: str
    host: GameHost
    identities: Identities
    hub: Hub
    logbook: Logbook
    archive: Archive
    reading: Reading | None


@asynccontextmanager
async def serving(
    url: str, keys: KeyRing, log_keys: SignerRing, settings: Settings, issuer: TrustedIssuer | None = None
) -> AsyncIterator[Serving]:
    """Serve on a database that is up to date, until the block ends."""
    async with AsyncExitStack() as stack:
        store = await EventStore.open(url)
        stack.push_async_callback(store.close)
        mapper = EventMapper(EventTranscoder(keys, must_open=True))
        log = await AuditLog.open(url)
        stack.push_async_callback(log.close)
        checking = await begin_check(StoreCheck(store, log, mapper, log_keys.vkeys), store, settings.check_events_max)
        stack.push_async_callback(cancelled, checking)
        games = GameApplication(store, mapper)
        table_mapper = EventMapper(EventTranscoder(keys, must_open=True, topics=TABLE_TOPICS))
        tables = Tables(store, table_mapper, os.urandom)
        host = GameHost(games, tables)
        players = await PlayerStore.open(url)
        stack.push_async_callback(players.close)
        identities = Identities(players, issuer)
        feed = await Feed.open(store)
        stack.push_async_callback(feed.close)
        lobby = await Lobby.open(host, store, feed, unstarted_seconds=settings.unstarted_seconds)
        stack.push_async_callback(lobby.close)
        logbook = Logbook(store, feed, log, mapper, log_keys)
        await logbook.start()
        stack.push_async_callback(logbook.close)
        archive = await Archive.open(url, store.lanes, mapper)
        stack.push_async_callback(archive.close)
        if settings.projects:
            await stack.enter_async_context(projecting(url, store.lanes))
        steward = Steward(
            host,
            lobby,
            bot_seconds=settings.bot_seconds,
            sweep_seconds=settings.sweep_seconds,
            unstarted_seconds=settings.unstarted_seconds,
        )
        steward.start()
        stack.push_async_callback(steward.close)
        hub = Hub(host, feed, mapper, settings.heartbeat_seconds)
        hub.start()
        of_player = RateLimit(settings.player_rate)
        gate = registering = Gate(identities, of_player, RateLimit(settings.address_rate))
        if settings.register_rate:
            of_address = RateLimit(settings.register_rate, REGISTER_BURST_SECONDS, what="registrations")
            registering = Gate(identities, of_player, of_address)
        audits = Audits(store, log, logbook)
        disputes = Disputes(store, audits, host)
        server = RpcServer(
            (
                GameService(gate, host, lobby, hub),
                PlayerService(gate, registering, identities),
                AuditService(gate, host, PublishedLog(log), audits, disputes),
                ReplayService(gate, host, hub, archive, Rounds(log, DisputeReader(store))),
                StatisticsService(gate, host, Statistics(archive.pool)),
            ),
            hub,
            with_channelz=settings.channelz,
        )
        await server.start(settings.listen, settings.tls, plaintext_anywhere=settings.plaintext_anywhere)
        stack.push_async_callback(server.stop, settings.grace_seconds)
        reader = None
        if settings.http is not None:
            reader = await stack.enter_async_context(
                reading(
                    store,
                    feed,
                    identities,
                    _for_readers(settings),
                    logbook=logbook,
                    now=lambda: host.now(),  # noqa: PLW0108 - another clock may be put in its place
                    counts=lambda: {"rpc_calls_total": gate.calls, "rpc_streams_open": len(hub.mailboxes)},
                )
            )
        yield Serving(server.address, host, identities, hub, logbook, archive, reader)


def _for_readers(settings: Settings) -> HttpSettings:
    return HttpSettings(
        listen=settings.http or "",
        flag="--http",
        tls=settings.tls,
        plaintext_anywhere=settings.plaintext_anywhere,
        cors_origins=settings.cors_origins,
        player_rate=settings.player_rate,
        address_rate=settings.address_rate,
        heartbeat_seconds=settings.heartbeat_seconds,
        grace_seconds=settings.grace_seconds,
        minds_models=settings.projects,
    )
