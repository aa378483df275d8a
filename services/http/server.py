"""The HTTP server: its address, and how it goes down."""

import asyncio
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn

from infra.failure import CommandFailed
from services.access.address import limit_key
from services.access.bars import Bars
from services.access.connections import Connections
from services.access.endpoint import Tls, check_reachable, host_and_port
from services.access.loop_share import LoopShare
from services.http.connection import Connection
from services.http.delivery import App
from services.http.listener import Left, Listener

UNSENT_BYTES_MAX = 64 * 1024 * 1024
"""Answers that clients do not take wait in memory. Beyond this, the connections with most of it are closed."""
_BACKLOG = 2_048
_TICKS_A_SECOND = 10
_START_SECONDS = 0.005


class HttpServer:
    """Serves an application."""

    def __init__(
        self,
        app: App,
        draining: asyncio.Event,
        connections: Connections,
        bars: Bars | None = None,
        share: LoopShare | None = None,
    ) -> None:
        """`stop` sets the event `draining`, and then streams end. Without `bars` nobody is barred.

        Without `share` an address may use as much of the loop as it wants.
        """
        self._app, self._draining, self._connections = app, draining, connections
        self._bars, self._share = bars, share
        self._server: _Server
        self._serving: asyncio.Task[None]
        self.address = ""

    async def start(
        self,
        address: str,
        tls: Tls | None = None,
        *,
        plaintext_anywhere: bool = False,
        flag: str = "--listen",
        shares_port: bool = False,
    ) -> None:
        """Listen on an address and start to serve; with `shares_port` other processes may listen there too."""
        host, port = host_and_port(address, flag)
        check_reachable(host, tls, plaintext_anywhere=plaintext_anywhere)
        config = _config(self._app, tls)
        listening = await _bound(address, host.strip("[]"), port, shares_port=shares_port)
        self.address = f"{host}:{listening.getsockname()[1]}"
        self._server = _Server(config, listening, self._connections, self._bars, self._share)
        self._serving = asyncio.create_task(self._server.serve())
        while not self._server.started and not self._serving.done():  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(_START_SECONDS)

    async def stop(self, grace_seconds: float) -> None:
        """End the streams, and give running requests this time to finish."""
        self._draining.set()
        self._server.config.timeout_graceful_shutdown = max(1, round(grace_seconds))
        self._server.should_exit = True
        await self._serving


class _Server(uvicorn.Server):
    """A server that takes connections in and lets them go by our rules, and leaves signals to the command."""

    def __init__(
        self,
        config: uvicorn.Config,
        listening: socket.socket,
        connections: Connections,
        bars: Bars | None,
        share: LoopShare | None,
    ) -> None:
        super().__init__(config)
        self.servers = []
        self._bars, self._share = bars, share
        self._listener = Listener(listening, self._connection, config.ssl, connections, bars)
        self._accepting: asyncio.Task[None]
        self._loop = asyncio.get_running_loop()
        if bars is not None:
            bars.guard(listening, self._cut)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002 - we have our own
        """Begin to take connections in."""
        self._accepting = asyncio.create_task(self._listener.run())
        self.started = True

    async def on_tick(self, counter: int) -> bool:
        """Each second, close the connections of clients that keep us waiting."""
        if counter % _TICKS_A_SECOND == 0:
            self._check_connections()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections in, and let the open ones end."""
        if self._bars is not None:
            self._bars.leave(self._cut)
        self._accepting.cancel()
        await asyncio.wait((self._accepting,))
        for connection in self._open_now():
            connection.end_half_request()
        await super().shutdown(sockets)

    def _connection(self, left: Left) -> Connection:
        state = {"server_state": self.server_state, "app_state": self.lifespan.state}
        return Connection(left, self._share, config=self.config, **state)

    def _open_now(self) -> list[Connection]:
        return [*self.server_state.connections]  # type: ignore[list-item]  # all are ours

    def _cut(self, address: str) -> None:
        """Close all connections of an address. Another thread may ask for it."""
        with suppress(RuntimeError):  # The loop is over, and so are its connections.
            self._loop.call_soon_threadsafe(self._abort, address)

    def _abort(self, address: str) -> None:
        for connection in self._open_now():
            if connection.client is not None and limit_key(connection.client[0]) == address:
                connection.abort()

    def _check_connections(self) -> None:
        if self._bars is not None:
            self._bars.lift()
        now, open_now = time.monotonic(), self._open_now()
        unsent = sum(connection.unsent_bytes for connection in open_now)
        for connection in sorted(open_now, key=lambda one: one.unsent_bytes, reverse=True):
            if unsent > UNSENT_BYTES_MAX:
                unsent -= connection.unsent_bytes
                connection.abort()
            connection.check(now)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def _config(app: App, tls: Tls | None) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ssl_certfile=None if tls is None else tls.certificate,
        ssl_keyfile=None if tls is None else tls.key,
        ssl_ca_certs=None if tls is None or tls.client_ca is None else str(tls.client_ca),
        ssl_cert_reqs=ssl.CERT_NONE if tls is None or tls.client_ca is None else ssl.CERT_REQUIRED,
    )
    config.load()
    return config


async def _bound(address: str, host: str, port: int, *, shares_port: bool) -> socket.socket:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, place = found[0]
        # The socket names its protocol, because only then asyncio turns off Nagle's algorithm, which delays answers.
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if shares_port:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            listener.bind(place)
            listener.listen(_BACKLOG)
            listener.setblocking(False)  # noqa: FBT003 - its only argument
        except OSError:
            listener.close()
            raise
    except OSError:
        raise CommandFailed(f"can't listen on {address}: is the port taken?") from None
    return listener
