"""An embedded Postgres for an asynchronous program: started, started again whenever it dies, and stopped in the end."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from infra.embedded.postgres import EmbeddedPostgres, EmbeddedPostgresFailed

LOOK_SECONDS: Final = 1.0
_log = logging.getLogger(__name__)


@asynccontextmanager
async def kept_postgres(directory: Path) -> AsyncIterator[str]:
    """The URL of the server in a data directory, which is kept running meanwhile."""
    server = EmbeddedPostgres(directory)
    try:
        await _to_its_end(server.start, server.give_up)
        keeping = asyncio.create_task(_keep(server))
        try:
            yield server.url
        finally:
            keeping.cancel()
            await asyncio.wait([keeping])
    finally:
        # Also after a start that failed or was cancelled: who doesn't use the server stops nothing.
        await _to_its_end(server.stop)


async def _to_its_end(work: Callable[[], None], give_up: Callable[[], None] | None = None) -> None:
    """Let work that blocks end in its thread, even if we are cancelled: half a start could be neither used nor undone."""
    # No task, because those are all cancelled when a loop is closed in a hurry.
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
    """Look after the server from time to time, and tell in a line when it had to be started again or could not be."""
    address, told = server.url, ""
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            if await asyncio.to_thread(server.is_reachable):
                continue
            await _to_its_end(server.start, server.give_up)
        except EmbeddedPostgresFailed as failed:
            if str(failed) != told:
                told = str(failed)
                _log.error("The embedded Postgres is gone: %s", told)
            continue
        told = ""
        _log.warning("The embedded Postgres was gone and has been started again.")
        if server.url != address:
            _log.error("The embedded Postgres has a new address now: start this program again.")
            address = server.url
