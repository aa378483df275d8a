"""The gRPC server: its address, its limits, and how it goes down."""

from collections.abc import Sequence

import grpc
from grpc_channelz.v1 import channelz

from infra.failure import CommandFailed
from services.access.bars import Bars
from services.access.connections import IN_ALL_MAX, PER_ADDRESS_MAX
from services.access.endpoint import Tls, check_reachable, host_and_port
from services.live.pulse import Pulse
from services.rpc.gate import Gate
from services.rpc.grpc_adapter import Tally, generic_handler
from services.rpc.method import Served
from services.rpc.services import (
    audit_service,
    club_service,
    game_service,
    health_service,
    player_service,
    reflection_service,
    replay_service,
    statistics_service,
)
from services.rpc.services.audit_service import AuditService
from services.rpc.services.club_service import ClubService
from services.rpc.services.game_service import GameService
from services.rpc.services.health_service import Health
from services.rpc.services.player_service import PlayerService
from services.rpc.services.reflection_service import Reflection
from services.rpc.services.replay_service import ReplayService
from services.rpc.services.statistics_service import StatisticsService
from services.rpc.socket_watch import SocketWatch

MESSAGE_BYTES_MAX = 64 * 1024
STREAMS_PER_CONNECTION_MAX = 256
"""Of further calls some wait at the client until one ends, and in a burst some get UNAVAILABLE from gRPC."""
HANDSHAKE_SECONDS = 10
"""For TLS, and for the first bytes of HTTP/2."""
IDLE_SECONDS = 300
"""A connection on which there is no call for so long is closed. Clients connect again by themselves."""
KEEPALIVE_SECONDS = 30
PENDING_CALLS_MAX = 50_000

SERVICES = (
    game_service.SERVICE,
    player_service.SERVICE,
    audit_service.SERVICE,
    replay_service.SERVICE,
    statistics_service.SERVICE,
    club_service.SERVICE,
)
Service = GameService | PlayerService | AuditService | ReplayService | StatisticsService | ClubService

OPTIONS = (
    ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
    ("grpc.max_concurrent_streams", STREAMS_PER_CONNECTION_MAX),
    ("grpc.max_metadata_size", 16 * 1024),
    ("grpc.server_handshake_timeout_ms", HANDSHAKE_SECONDS * 1_000),
    ("grpc.max_connection_idle_ms", IDLE_SECONDS * 1_000),
    # Pings find players who have lost their network. Clients may send their own pings every ten seconds.
    ("grpc.keepalive_time_ms", KEEPALIVE_SECONDS * 1_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    # While calls wait for us, gRPC would drop some of them at random, also those of other callers.
    ("grpc.server.max_pending_requests", PENDING_CALLS_MAX),
    ("grpc.server.max_pending_requests_hard_limit", PENDING_CALLS_MAX),
)


class Arrivals(grpc.GenericRpcHandler):
    """Counts all calls as they come, also those that gRPC drops before a handler gets them."""

    def __init__(self) -> None:
        self._came, self._tally = 0, Tally()

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> None:  # noqa: ARG002 - the library's own form
        """Count a call, and leave it to the other handlers."""
        self._came += 1

    def handler(self, service: Served) -> grpc.GenericRpcHandler:
        """The handler of all calls of a service, which counts those that begin."""
        return generic_handler(service, self._tally)

    @property
    def dropped(self) -> int:
        """How many calls gRPC has dropped after they came, or has not handed to us yet."""
        return self._came - self._tally.begun


class RpcServer:
    """The server of the game services."""

    def __init__(
        self,
        services: Sequence[Service],
        gate: Gate,
        pulse: Pulse,
        *,
        connections_max: int = IN_ALL_MAX,
        address_connections: int = PER_ADDRESS_MAX,
        bars: Bars | None = None,
        with_channelz: bool = False,
        shares_port: bool = False,
    ) -> None:
        """The gate is that of health and reflection; the other services bring their own.

        With `shares_port` other processes of this server may listen on the same port.
        """
        self._pulse, self._address_connections, self._bars = pulse, address_connections, bars
        self._watch: SocketWatch
        limit = ("grpc.max_allowed_incoming_connections", connections_max)
        # By default a second server could share the port, and calls would go to one of the two at random.
        self._server = grpc.aio.server(options=(*OPTIONS, limit, ("grpc.so_reuseport", int(shares_port))))
        self._health = Health(gate, SERVICES)
        described = Reflection(gate, (*SERVICES, health_service.SERVICE, reflection_service.SERVICE))
        self._arrivals = Arrivals()
        self._server.add_generic_rpc_handlers([self._arrivals])
        self._server.add_generic_rpc_handlers(
            [self._arrivals.handler(service.served()) for service in (*services, self._health, described)]
        )
        if with_channelz:
            channelz.add_channelz_servicer(self._server)
        self.address = ""

    async def start(self, address: str, tls: Tls | None = None, *, plaintext_anywhere: bool = False) -> None:
        """Listen on an address and start to serve."""
        host, _ = host_and_port(address)
        check_reachable(host, tls, plaintext_anywhere=plaintext_anywhere)
        try:
            taken = self._add_port(address, tls)
        except RuntimeError:
            raise CommandFailed(f"can't listen on {address}: is the port taken?") from None
        self.address = f"{host}:{taken}"
        await self._server.start()
        self._watch = SocketWatch(taken, self._address_connections, self._bars, lambda: self._arrivals.dropped)
        self._watch.start()

    async def drain(self) -> None:
        """Report to health checks that the server goes down, and end the streams of all protocols."""
        self._health.drain()
        await self._pulse.close()

    async def stop(self, grace_seconds: float) -> None:
        """Go down, and give running calls this time to finish."""
        self._watch.stop()
        await self.drain()
        await self._server.stop(grace_seconds)

    def _add_port(self, address: str, tls: Tls | None) -> int:
        if tls is None:
            return self._server.add_insecure_port(address)
        return self._server.add_secure_port(address, _credentials(tls))


def _credentials(tls: Tls) -> grpc.ServerCredentials:
    client_ca = tls.client_ca.read_bytes() if tls.client_ca is not None else None
    pair = tls.key.read_bytes(), tls.certificate.read_bytes()
    return grpc.ssl_server_credentials([pair], client_ca, require_client_auth=client_ca is not None)
