"""A server of several processes: one database, one pair of ports, one address for the metrics."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
from msgspec.structs import replace

from domain.values import Value
from infra.postgres.connections import PASSING, open_pool
from services.access.endpoint import check_reachable, host_and_port
from services.app.environment import lanes_of_database, open_sealed_database
from services.app.handed_keys import keys_to_hand
from services.app.settings import Settings
from services.cli.processes.merged_metrics import merged
from services.cli.processes.messages import GameWork, IssuerFlags, ProjectorWork, Reporting, Work
from services.cli.processes.ports import ReservedPort
from services.cli.processes.supervisor import Supervisor, supervising
from services.http.health import Ready, telling_health
from services.projector.metrics import MEDIA_TYPE, METRICS_PATH, ModelMetrics
from services.projector.status import LOOK_SECONDS_MAX, ModelStatus, status_of

_ROLE = "liarsdice_projector"


class Together(Value, frozen=True, eq=False):
    """Several processes that serve."""

    supervisor: Supervisor
    address: str
    url: str | None
    vkey: str
    lanes: int
    """How many lanes the store has."""


@asynccontextmanager
async def serving_together(
    directory: Path,
    origin: str | None,
    settings: Settings,
    issuer: IssuerFlags | None,
    reporting: Reporting = Reporting(),  # noqa: B008 - a frozen value
) -> AsyncIterator[Together]:
    """Serve with as many processes as the settings say, until the block ends."""
    async with AsyncExitStack() as stack:
        listen = _reserved(stack, settings, settings.listen, "--listen")
        http = None if settings.http is None else _reserved(stack, settings, settings.http, "--http")
        keys = await asyncio.to_thread(keys_to_hand, directory, origin)
        url, _ = await stack.enter_async_context(open_sealed_database(directory, settings.processes))
        lanes = await lanes_of_database(url, _ROLE)
        supervisor = await stack.enter_async_context(supervising())
        shared = replace(
            settings,
            listen=listen,
            http=http,
            metrics=None,
            projects=False,
            workers=-(-settings.workers // settings.processes),
        )
        # The first one checks the store before it serves. Nobody serves meanwhile, and nobody checks it again.
        first, *others = (
            GameWork(number, url, keys, shared, issuer, reporting) for number in range(1, settings.processes + 1)
        )
        (child,) = await supervisor.start([first])
        rest: list[Work] = [other.again for other in others]
        await supervisor.start([*rest, ProjectorWork(url, reporting)] if settings.projects else rest)
        if settings.metrics is not None:
            await stack.enter_async_context(_metrics(settings.metrics, supervisor, url))
        yield Together(supervisor, child.begun.address, child.begun.url, child.begun.vkey, lanes)


def _reserved(stack: AsyncExitStack, settings: Settings, address: str, flag: str) -> str:
    """The address, with a port that is ours until the stack ends. What is wrong with it is told before anything starts."""
    host, _ = host_and_port(address, flag)
    check_reachable(host, settings.tls, plaintext_anywhere=settings.plaintext_anywhere)
    port = ReservedPort(address, flag)
    stack.callback(port.close)
    return port.address


@asynccontextmanager
async def _metrics(address: str, supervisor: Supervisor, url: str) -> AsyncIterator[None]:
    """Serve the metrics of all processes on one address."""
    pool = await open_pool(url, _ROLE, size_max=1)
    models = ModelMetrics()

    async def page() -> bytes:
        return merged(await supervisor.metrics(), models.written(await _models(pool)))

    async def ready() -> Ready:
        return Ready()

    try:
        async with telling_health(address, ready, {METRICS_PATH: (MEDIA_TYPE, page)}):
            yield
    finally:
        with suppress(*PASSING):
            await pool.close()


async def _models(pool: "asyncpg.Pool[Any]") -> tuple[ModelStatus, ...]:
    """The status of the read models; empty if the database does not answer."""
    with suppress(asyncpg.PostgresError, *PASSING):
        async with asyncio.timeout(LOOK_SECONDS_MAX):
            return await status_of(pool)
    return ()


async def reload_when_asked(supervisor: Supervisor, stopped: asyncio.Event, *, outlives_terminal: bool) -> None:
    """Replace the processes on each SIGHUP; if it came because the terminal was closed, the server is to stop."""
    asked, had_terminal = asyncio.Event(), not outlives_terminal and _has_terminal()
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, asked.set)
    while not stopped.is_set():
        await asked.wait()
        asked.clear()
        if had_terminal and not _has_terminal():
            stopped.set()
        else:
            await supervisor.reload()


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True
