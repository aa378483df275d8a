"""What an operator can choose for the game server and for the HTTP service."""

from domain.values import Value
from infra.log.policy import Policy
from services.access.connections import PER_ADDRESS_MAX
from services.access.endpoint import Tls, host_and_port, is_loopback
from services.tables.allowance import Limits


class Settings(Value, frozen=True, kw_only=True):
    """What an operator can choose."""

    listen: str = "127.0.0.1:0"
    http: str | None = None
    """The address of the HTTP service; None for no HTTP service."""
    metrics: str | None = None
    """An address of their own for the metrics; None to serve them with the rest of HTTP, if only this machine can reach that."""
    cors_origins: tuple[str, ...] = ()
    tls: Tls | None = None
    plaintext_anywhere: bool = False
    bot_seconds: float = 0.0
    bot_rate: float = 0.0
    """How many moves a second the bots at all tables of one player may make together; 0 for no limit."""
    sweep_seconds: float = 0.5
    unstarted_seconds: float = 0.0
    """How long a table that nobody starts is kept after its last change; 0 for ever."""
    limits: Limits = Limits()
    """How many tables and games a player may have at the same time."""
    heartbeat_seconds: float = 15.0
    player_rate: float = 0.0
    """How many calls and commands a second one player may make; 0 for no limit."""
    address_rate: float = 0.0
    register_rate: float = 0.0
    """How many players a second may register from one address; 0 for the same limit as other calls."""
    table_rate: float = 0.0
    """How many tables a second one player may set up, on and on; 0 for no limit."""
    read_rate: float = 0.0
    """How many events a second the heavy reads of one caller may touch; 0 for no limit."""
    streams_max: int = 0
    """How many streams one caller may have open; 0 for no limit."""
    workers: int = 0
    """How many processes do heavy reads; 0 to do them in this one."""
    register_shared: bool = False
    """Whether `register_rate` holds for all addresses together, because all calls come from that of a proxy."""
    address_connections: int = PER_ADDRESS_MAX
    """How many connections one address may have to each listener; 0 for as many as there are places."""
    check_events_max: int = 0
    """A store with at most so many events is checked before it is served, a larger one while it is; 0 for no check."""
    grace_seconds: float = 5.0
    policy: Policy | None = None
    """Which witnesses are asked to cosign the log, and whether proofs wait for them."""
    projects: bool = True
    """Whether this process keeps the read models up to date."""
    processes: int = 1
    """How many processes are this server. If there are several, they share its ports and its callers."""
    channelz: bool = False


class HttpSettings(Value, frozen=True, kw_only=True):
    """What an operator can choose for the HTTP service."""

    listen: str = "127.0.0.1:0"
    flag: str = "--listen"
    """The flag that sets `listen`, for error messages."""
    metrics: str | None = None
    """An address of their own for the metrics."""
    tls: Tls | None = None
    plaintext_anywhere: bool = False
    cors_origins: tuple[str, ...] = ()
    player_rate: float = 0.0
    """How many requests a second one player may make; 0 for no limit."""
    address_rate: float = 0.0
    read_rate: float = 0.0
    streams_max: int = 0
    workers: int = 0
    heartbeat_seconds: float = 15.0
    grace_seconds: float = 5.0
    address_connections: int = PER_ADDRESS_MAX
    """How many connections one address may have; 0 for as many as there are places."""
    listeners: int = 1
    """How many listeners of this process share its descriptors."""
    shares_port: bool = False
    """Whether other processes of the same server listen on the same port."""
    minds_models: bool = False
    """Whether a faulty read model makes this process not ready: only if the process itself updates the read models."""
    waits_for_models: bool = True
    """Whether this process is not ready before the read models have caught up once."""

    @property
    def with_metrics(self) -> bool:
        """Whether metrics come with the rest. They tell of everybody's moves, so strangers must not reach them.

        Where processes share the port, nobody could choose whose metrics come.
        """
        return self.metrics is None and not self.shares_port and is_loopback(host_and_port(self.listen, self.flag)[0])
