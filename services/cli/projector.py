"""`liarsdice projector`: keep the read models up to date, in a process that has no keys and serves no players."""

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg

from infra.postgres.connections import PASSING, open_pool
from services.app.database_address import DATABASE_VARIABLE
from services.app.environment import database_told, lanes_of_database, open_database
from services.app.readiness import ModelReadiness
from services.app.run_loop import run_to_its_end
from services.cli.flags.of_services import add_listen
from services.cli.flags.of_stores import add_data, data_directory_of
from services.cli.service_log import add_log_format, start_log
from services.cli.service_process import migrate_own_store, stop_signal
from services.cli.terminal import say
from services.http.health import READY_PATH, telling_health
from services.projector.background import projecting
from services.projector.metrics import MEDIA_TYPE, METRICS_PATH, ModelMetrics
from services.projector.status import problem_of_models, status_of
from services.projector.watermarks import Watermarks, milliseconds_now

LISTEN_DEFAULT = "127.0.0.1:8081"
_ROLE = "liarsdice_projector"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        f"The store is the database at {DATABASE_VARIABLE}, which has to be up to date, or an embedded Postgres"
        " if that is not set. Several projectors share the work."
    )
    add_data(parser)
    add_listen(parser, LISTEN_DEFAULT, "for its health and metrics over HTTP")
    add_log_format(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Keep the read models up to date until a signal stops it."""
    start_log(arguments.log_format)
    with database_told():
        return run_to_its_end(_project(data_directory_of(arguments), arguments.listen))


async def _project(directory: Path, listen: str) -> int:
    async with open_database(directory) as url:
        await migrate_own_store(url)
        lanes, metrics = await lanes_of_database(url, _ROLE), ModelMetrics()
        async with (
            _status_pool(url) as pool,
            telling_health(
                listen,
                ModelReadiness(lambda: problem_of_models(pool), Watermarks(pool, lanes, milliseconds_now)),
                {METRICS_PATH: (MEDIA_TYPE, lambda: _metrics_page(metrics, pool))},
            ) as address,
            projecting(url, lanes),
        ):
            stopped = stop_signal()
            say(f"projecting; its health is at http://{address}{READY_PATH}")
            await stopped.wait()
            say("going down")
    return 0


@asynccontextmanager
async def _status_pool(url: str) -> "AsyncIterator[asyncpg.Pool[Any]]":
    """A connection that only reads how far the projector has come."""
    pool = await open_pool(url, _ROLE, size_max=1)
    try:
        yield pool
    finally:
        with suppress(*PASSING):
            await pool.close()


async def _metrics_page(metrics: ModelMetrics, pool: "asyncpg.Pool[Any]") -> bytes:
    return metrics.written(await status_of(pool))
