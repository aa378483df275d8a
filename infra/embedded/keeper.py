"""Keeps an embedded Postgres running for an asynchronous program: starts it, restarts it if it dies, stops it at the end."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from infra.embedded.postgres import EmbeddedPostgres, EmbeddedPostgresFailed

LOOK_SECONDS: Final = 1.0
_log = logging.getLogger(__name__)


@asynccontextmanager
async def kept_postgres(directory: Path, settings: Mapping[str, str] | None = None) -> AsyncIterator[str]:
    """The URL of the server in a data directory; the server is kept running as long as the block lasts."""
    server = EmbeddedPostgres(directory, settings)
    try:
        await _to_its_end(server.start, server.give_up)
        keeping = asyncio.create_task(_keep(server))
        try:
            yield server.url
        finally:
            keeping.cancel()
            await asyncio.wait([keeping])
    finally:
        # Also after a start that failed or was cancelled; then we don't use the server, and `stop` does nothing.
        await _to_its_end(server.stop)


async def _to_its_end(work: Callable[[], None], give_up: Callable[[], None] | None = None) -> None:
    """Wait for blocking work in its thread, even if we are cancelled, because a start can't be stopped halfway."""
    # A future of the executor and not a task, because `asyncio.run` cancels all tasks when it ends.
    working = asyncio.get_running_loop().run_in_executor(None, work)
    cancelled = False
    while not working.done():
        try:
            await asyncio.wait([working])
        except asyncio.CancelledError:
            cancelled = True
            if give_up is not None:
                give_up()
    failure = working.exception()
    if cancelled:
        raise asyncio.CancelledError from failure
    working.result()


async def _keep(server: EmbeddedPostgres) -> None:
    """Look at the server once a second, restart it if it is gone, and log a line about it."""
    address, logged = server.url, ""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            if await asyncio.to_thread(server.is_reachable):
                continue
            await _to_its_end(server.start, server.give_up)
        except EmbeddedPostgresFailed as failed:
            # The same failure comes back every second; one line is enough for it.
            if str(failed) != logged:
                logged = str(failed)
                _log.error("The embedded Postgres is gone: %s", logged)
            continue
        logged = ""
        _log.warning("The embedded Postgres was gone and has been started again.")
        if server.url != address:
            # Connection pools keep the address they were opened with.
            _log.error("The embedded Postgres has a new address now: start this program again.")
            address = server.url
