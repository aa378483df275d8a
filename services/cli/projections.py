"""`liarsdice projections`: show how far the read models have come, or build one anew."""

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from domain.refusals import Refusal
from domain.values import Value
from infra.failure import CommandFailed
from infra.postgres.connections import open_pool
from services.app.database_address import DATABASE_VARIABLE
from services.app.environment import (
    check_there_is_a_store,
    database_told,
    lanes_of_database,
    migrate_database,
    open_database,
)
from services.app.run_loop import run_to_its_end
from services.cli.completeness import add_wait_seconds, wait_until_complete
from services.cli.flags.of_output import add_json
from services.cli.flags.of_stores import add_data, data_directory_of
from services.cli.terminal import PipedConsole, say, say_json
from services.projector.models import PROJECTIONS
from services.projector.projection import Projection
from services.projector.rebuild import Progress as Built
from services.projector.rebuild import Rebuild
from services.projector.status import ModelStatus, status_of
from services.projector.watermarks import Watermarks, milliseconds_now

_AT_FAULT = 1
_ROLE = "liarsdice_reader"


class _Status(Value, frozen=True):
    """The status as JSON."""

    models: tuple[ModelStatus, ...]


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        f"The store is the database at {DATABASE_VARIABLE}, or an embedded Postgres if that is not set."
    )
    parts = parser.add_subparsers(required=True, metavar="what")
    status = parts.add_parser("status", help="how far each model has come, and whether one is at fault")
    add_json(status)
    status.set_defaults(run=run_status)
    rebuild = parts.add_parser(
        "rebuild",
        help="build a model anew beside the one in use",
        description="The new model takes the place of the old one once it has caught up. If you stop this, the same command goes on"
        " where it was.",
    )
    rebuild.add_argument("name", choices=[one.MODEL.name for one in PROJECTIONS], metavar="NAME", help=_names())
    rebuild.add_argument("--cancel", action="store_true", help="drop what was built so far, and build nothing")
    rebuild.set_defaults(run=run_rebuild)
    wait = parts.add_parser(
        "wait",
        help="wait until all models have caught up",
        description="Waits until lists, exports and statistics have everything that the store has. A server or `liarsdice projector`"
        " has to run meanwhile.",
    )
    add_wait_seconds(wait)
    wait.set_defaults(run=run_wait)
    for part in (status, rebuild, wait):
        add_data(part)


def run_status(arguments: argparse.Namespace) -> int:
    """Print how far each model has come; the exit code is 1 if one is at fault."""
    with database_told():
        models = run_to_its_end(_status(_directory(arguments)))
    if arguments.json:
        say_json(_Status(models))
    else:
        table = Table("model", "state", "lane", "position", "behind by", "fault")
        for model in models:
            table.add_row(*_row(model))
        PipedConsole().print(table)
    return _AT_FAULT if any(model.fault for model in models) else 0


def run_wait(arguments: argparse.Namespace) -> int:
    """Wait until all models have caught up; fails if that takes too long."""
    with database_told():
        run_to_its_end(_wait(_directory(arguments), arguments.wait_seconds))
    return 0


def run_rebuild(arguments: argparse.Namespace) -> int:
    """Build a model anew, or drop what was built of it."""
    projection = next(one for one in PROJECTIONS if one.MODEL.name == arguments.name)
    try:
        with database_told():
            outcome = run_to_its_end(_rebuild(_directory(arguments), projection, cancel=arguments.cancel))
    except Refusal as refusal:
        raise CommandFailed(str(refusal)) from None
    say(outcome)
    return 0


def _directory(arguments: argparse.Namespace) -> Path:
    directory = data_directory_of(arguments)
    check_there_is_a_store(directory)
    return directory


def _names() -> str:
    return "one of " + ", ".join(one.MODEL.name for one in PROJECTIONS)


async def _status(directory: Path) -> tuple[ModelStatus, ...]:
    async with _reading(directory) as (pool, _):
        return await status_of(pool)


async def _wait(directory: Path, wait_seconds: float) -> None:
    async with _reading(directory) as (pool, lanes):
        began = milliseconds_now()
        await wait_until_complete(Watermarks(pool, lanes, milliseconds_now).every, wait_seconds, since=began)


@asynccontextmanager
async def _reading(directory: Path) -> "AsyncIterator[tuple[asyncpg.Pool[Any], int]]":
    """A store to read from, and its number of lanes; refuses one that is older or newer than this program."""
    async with open_database(directory) as url:
        lanes = await lanes_of_database(url, _ROLE)
        pool = await open_pool(url, _ROLE)
        try:
            yield pool, lanes
        finally:
            await pool.close()


def _row(model: ModelStatus) -> tuple[str, ...]:
    name = f"{model.name} v{model.version} generation {model.generation}"
    return name, model.state, str(model.lane), f"{model.position:,}", f"{model.lag:,}", model.fault or ""


async def _rebuild(directory: Path, projection: Projection, *, cancel: bool) -> str:
    """Build a model, or drop what was built of it; the sentence that says what was done."""
    async with open_database(directory) as url:
        await migrate_database(url)
        rebuild = Rebuild(url, projection, await lanes_of_database(url, _ROLE))
        name = projection.MODEL.name
        if cancel:
            return f"what was built of {name} is dropped" if await rebuild.cancel() else f"nothing was built of {name}"
        with _bar(name) as progress:
            task = progress.add_task(name, total=None)

            def show(built: Built) -> None:
                progress.update(task, completed=built.done, total=built.total)

            generation = await rebuild.run(show)
        return f"{name} is built anew: generation {generation.number} answers now"


def _bar(name: str) -> Progress:
    console = PipedConsole(stderr=True)
    columns = (TextColumn(f"building {name}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
