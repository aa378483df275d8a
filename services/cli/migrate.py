"""`liarsdice migrate`: bring the store's schema up to date."""

import argparse
import os
from pathlib import Path

from infra.postgres.lanes import LANES_DEFAULT, LANES_EMBEDDED
from services.app.database_address import DATABASE_VARIABLE
from services.app.environment import database_told, default_data_directory, migrate_database, open_database
from services.app.run_loop import run_to_its_end
from services.cli.flags.values import count


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        f"The store is the database at {DATABASE_VARIABLE}, or an embedded Postgres if that is not set."
    )
    parser.add_argument("--data", type=Path, metavar="DIRECTORY", help="where the embedded Postgres lives")
    parser.add_argument(
        "--lanes",
        type=count,
        help=f"how many lanes a new store gets, for ever (default: {LANES_DEFAULT}, embedded {LANES_EMBEDDED})",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run what is missing, and say what was run."""
    directory = arguments.data or default_data_directory(os.environ)
    with database_told():
        done = run_to_its_end(_migrated(directory, arguments.lanes))
    for name in done:
        print(f"ran {name}")
    print("the store is up to date")
    return 0


async def _migrated(directory: Path, lanes: int | None) -> list[str]:
    async with open_database(directory) as url:
        return await migrate_database(url, lanes)
