"""`liarsdice migrate`: bring the store's schema up to date."""

import argparse
from pathlib import Path

from infra.postgres.lanes import LANES_DEFAULT, LANES_EMBEDDED
from services.app.database_address import DATABASE_VARIABLE
from services.app.environment import database_told, migrate_database, open_database
from services.app.run_loop import run_to_its_end
from services.cli.flags.of_output import add_json
from services.cli.flags.of_stores import add_data, data_directory_of
from services.cli.flags.values import count
from services.cli.terminal import say, say_json


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        f"The store is the database at {DATABASE_VARIABLE}, or an embedded Postgres if that is not set."
    )
    add_data(parser)
    parser.add_argument(
        "--lanes",
        type=count,
        help=f"the number of lanes of a new store, which never changes (default: {LANES_DEFAULT}, embedded {LANES_EMBEDDED})",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the missing migrations, and say which they were."""
    with database_told():
        done = run_to_its_end(_migrations(data_directory_of(arguments), arguments.lanes))
    if arguments.json:
        say_json({"ran": done})
        return 0
    for name in done:
        say(f"ran {name}")
    say("the store is up to date")
    return 0


async def _migrations(directory: Path, lanes: int | None) -> list[str]:
    """Run the missing migrations; their names."""
    async with open_database(directory) as url:
        return await migrate_database(url, lanes)
