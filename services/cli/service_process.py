"""A process that serves until a signal stops it: its end, and its own store."""

import asyncio
import os
import signal

from services.app.database_address import DATABASE_VARIABLE
from services.app.environment import migrate_database


def stop_signal() -> asyncio.Event:
    """An event that is set when the process is asked to stop; from now on a signal does nothing else."""
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    return stopped


async def migrate_own_store(url: str) -> None:
    """Bring an embedded store up to date; a store that others use too is theirs to migrate."""
    if not os.environ.get(DATABASE_VARIABLE):
        await migrate_database(url)
