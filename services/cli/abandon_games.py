"""`liarsdice abandon-games`: end all games that are not over, after a restore to an older state."""

import argparse
import time
from pathlib import Path

from infra.events.mapping import EventMapper, EventTranscoder
from infra.postgres.store import EventStore
from services.app.environment import check_there_is_a_store, database_told, open_sealed_database
from services.app.run_loop import run_to_its_end
from services.cli.flags.of_stores import add_data, data_directory_of
from services.cli.terminal import say
from services.tables.application import GameApplication
from services.tables.unfinished import abandon_all


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "After the database was restored to an older state, games that were not over can't go on: their next dice would be"
        " those that fell before the restore. This ends them all, without a winner. Stop all servers first."
    )
    parser.add_argument("reason", metavar="REASON", help="what players read about it, in a sentence")
    add_data(parser, "the store and its keys")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """End the games."""
    with database_told():
        count = run_to_its_end(_abandoned(data_directory_of(arguments), arguments.reason))
    say(f"{count} games were abandoned")
    return 0


async def _abandoned(directory: Path, reason: str) -> int:
    check_there_is_a_store(directory)
    async with open_sealed_database(directory) as (url, keys):
        store = await EventStore.open(url)
        try:
            games = GameApplication(store, EventMapper(EventTranscoder(keys, must_open=True)))
            return await abandon_all(games, store, reason, time.time_ns() // 1_000_000)
        finally:
            await store.close()
