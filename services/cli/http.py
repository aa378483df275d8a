"""`liarsdice http`: the HTTP service as a process of its own, which has no keys and writes nothing."""

import argparse
import asyncio
import logging
import os
import signal
from contextlib import AsyncExitStack
from pathlib import Path

from infra.postgres.event_reader import EventReader
from infra.postgres.feed import Feed
from infra.postgres.players import PlayerStore
from services.access.identity import Identities, TrustedIssuer
from services.app.database_address import DATABASE_VARIABLE
from services.app.environment import database_told, default_data_directory, migrate_database, open_database
from services.app.run_loop import run_to_its_end
from services.app.wiring import HttpSettings, reading
from services.cli.flags.of_services import add_cors, add_issuer, add_rates, add_tls, issuer_of, tls_of

LISTEN_DEFAULT = "127.0.0.1:8080"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        f"The store is the database at {DATABASE_VARIABLE}, which has to be up to date, or an embedded Postgres"
        " if that is not set. It needs no keys."
    )
    parser.add_argument("--data", type=Path, metavar="DIRECTORY", help="where the embedded Postgres lives")
    parser.add_argument(
        "--listen", default=LISTEN_DEFAULT, metavar="HOST:PORT", help="default: %(default)s; port 0 takes a free one"
    )
    add_tls(parser)
    add_rates(parser)
    add_issuer(parser)
    add_cors(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until told to stop."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    directory = arguments.data or default_data_directory(os.environ)
    settings = HttpSettings(
        listen=arguments.listen,
        tls=tls_of(arguments),
        plaintext_anywhere=arguments.plaintext,
        cors_origins=tuple(arguments.cors_origin),
        player_rate=arguments.player_rate,
        address_rate=arguments.address_rate,
    )
    issuer = issuer_of(arguments)
    with database_told():
        return run_to_its_end(_serve(directory, settings, issuer))


async def _serve(directory: Path, settings: HttpSettings, issuer: TrustedIssuer | None) -> int:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(open_database(directory))
        if not os.environ.get(DATABASE_VARIABLE):
            await migrate_database(url)  # A store of our own; one that others use too is theirs to migrate.
        store = await EventReader.open(url)
        stack.push_async_callback(store.close)
        players = await PlayerStore.open(url)
        stack.push_async_callback(players.close)
        feed = await Feed.open(store)
        stack.push_async_callback(feed.close)
        running = await stack.enter_async_context(reading(store, feed, Identities(players, issuer), settings))
        stopped = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        print(f"serving HTTP ({'TLS' if settings.tls else 'plaintext'}) on {running.url}", flush=True)
        await stopped.wait()
        print("going down; open streams are told to resume", flush=True)
    return 0
