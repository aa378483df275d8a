"""`liarsdice projector`: keep the read models up to date, in a process that has no keys and serves no players."""

import argparse
import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg

from infra.postgres.connections import PASSING, open_pool
from services.app.database_address import DATABASE_VARIABLE
from services.app.environment import (
    database_told,
    default_data_directory,
    lanes_of_database,
    migrate_database,
    open_database,
)
from services.app.run_loop import run_to_its_end
from services.http.health import READY_PATH, telling_health
from services.projector.background import projecting
from services.projector.metrics import MEDIA_TYPE, METRICS_PATH, ModelMetrics
from services.projector.status import problem_of_models, status_of

LISTEN_DEFAULT = "127.0.0.1:8081"
_ROLE = "liarsdice_projector"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        f"The store is the database at {DATABASE_VARIABLE}, which has to be up to date, or an embedded Postgres"
        " if that is not set. Several projectors share the work."
    )
    parser.add_argument("--data", type=Path, metavar="DIRECTORY", help="where the embedded Postgres lives")
    parser.add_argument(
        "--listen",
        default=LISTEN_DEFAULT,
        metavar="HOST:PORT",
        help="where it tells over HTTP how it is (default: %(default)s; port 0 takes a free one)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Project until told to stop."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    directory = arguments.data or default_data_directory(os.environ)
    with database_told():
        return run_to_its_end(_project(directory, arguments.listen))


async def _project(directory: Path, listen: str) -> int:
    async with open_database(directory) as url:
        if not os.environ.get(DATABASE_VARIABLE):
            await migrate_database(url)  # A store of our own; one that others use too is theirs to migrate.
        lanes, metrics = await lanes_of_database(url, _ROLE), ModelMetrics()
        async with (
            _looking(url) as pool,
            telling_health(
                listen, lambda: problem_of_models(pool), {METRICS_PATH: (MEDIA_TYPE, lambda: _measured(metrics, pool))}
            ) as address,
            projecting(url, lanes),
        ):
            stopped = asyncio.Event()
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(number, stopped.set)
            print(f"projecting; how it is stands at http://{address}{READY_PATH}", flush=True)
            await stopped.wait()
            print("going down", flush=True)
    return 0


@asynccontextmanager
async def _looking(url: str) -> "AsyncIterator[asyncpg.Pool[Any]]":
    """A connection of its own, to look into the database for how the projector does."""
    pool = await open_pool(url, _ROLE, size_max=1)
    try:
        yield pool
    finally:
        with suppress(*PASSING):
            await pool.close()


async def _measured(metrics: ModelMetrics, pool: "asyncpg.Pool[Any]") -> bytes:
    return metrics.written(await status_of(pool))
