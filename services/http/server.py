"""The HTTP server: its address, and how it goes down."""

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from infra.failure import CommandFailed
from services.access.endpoint import Tls, check_reachable, host_and_port
from services.http.delivery import App

_BACKLOG = 2_048
_START_SECONDS = 0.005


class HttpServer:
    """Serves an application."""

    def __init__(self, app: App, draining: asyncio.Event) -> None:
        """`stop` sets the event `draining`, and then streams end."""
        self._app, self._draining = app, draining
        self._server: _Server
        self._serving: asyncio.Task[None]
        self.address = ""

    async def start(
        self, address: str, tls: Tls | None = None, *, plaintext_anywhere: bool = False, flag: str = "--listen"
    ) -> None:
        """Listen on an address and start to serve."""
        host, port = host_and_port(address, flag)
        check_reachable(host, tls, plaintext_anywhere=plaintext_anywhere)
        config = _config(self._app, tls)
        listener = await _bound(address, host.strip("[]"), port)
        self.address = f"{host}:{listener.getsockname()[1]}"
        self._server = _Server(config)
        self._serving = asyncio.create_task(self._server.serve([listener]))
        while not self._server.started and not self._serving.done():  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(_START_SECONDS)

    async def stop(self, grace_seconds: float) -> None:
        """End the streams, and give running requests this time to finish."""
        self._draining.set()
        self._server.config.timeout_graceful_shutdown = max(1, round(grace_seconds))
        self._server.should_exit = True
        await self._serving


class _Server(uvicorn.Server):
    """A server that leaves signals to the command that started it."""

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
        backlog=_BACKLOG,
        ssl_certfile=None if tls is None else tls.certificate,
        ssl_keyfile=None if tls is None else tls.key,
        ssl_ca_certs=None if tls is None or tls.client_ca is None else str(tls.client_ca),
        ssl_cert_reqs=ssl.CERT_NONE if tls is None or tls.client_ca is None else ssl.CERT_REQUIRED,
    )
    config.load()
    return config


async def _bound(address: str, host: str, port: int) -> socket.socket:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, kind, protocol, _, place = found[0]
        # The socket names its protocol, because only then asyncio turns off Nagle's algorithm, which delays answers.
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
        except OSError:
            listener.close()
            raise
    except OSError:
        raise CommandFailed(f"can't listen on {address}: is the port taken?") from None
    return listener
