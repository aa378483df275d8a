"""`liarsdice http`: the HTTP service in a process of its own, which has no keys and writes nothing."""

import argparse
from contextlib import AsyncExitStack
from pathlib import Path

from infra.postgres.event_reader import EventReader
from infra.postgres.feed import Feed
from infra.postgres.players import TokenReader
from services.access.identity import Identities, TrustedIssuer
from services.app.database_address import DATABASE_VARIABLE
from services.app.descriptors import raise_descriptor_limit
from services.app.environment import database_told, open_database
from services.app.run_loop import run_to_its_end
from services.app.settings import HttpSettings
from services.app.tracing import tracing_to
from services.app.wiring import reading
from services.cli.flags.of_services import (
    add_cors,
    add_issuer,
    add_listen,
    add_metrics,
    add_rates,
    add_tls,
    add_traces,
    issuer_of,
    tls_of,
)
from services.cli.flags.of_stores import add_data, data_directory_of
from services.cli.service_log import add_log_format, start_log
from services.cli.service_process import migrate_own_store, stop_signal
from services.cli.terminal import say

LISTEN_DEFAULT = "127.0.0.1:8080"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        f"The store is the database at {DATABASE_VARIABLE}, which has to be up to date, or an embedded Postgres"
        " if that is not set. It needs no keys."
    )
    add_data(parser)
    add_listen(parser, LISTEN_DEFAULT, "for HTTP calls")
    add_metrics(parser)
    add_traces(parser)
    add_log_format(parser)
    add_tls(parser)
    add_rates(parser)
    add_issuer(parser)
    add_cors(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal stops it."""
    start_log(arguments.log_format)
    raise_descriptor_limit()
    settings = HttpSettings(
        listen=arguments.listen,
        metrics=arguments.metrics,
        tls=tls_of(arguments),
        plaintext_anywhere=arguments.plaintext,
        cors_origins=tuple(arguments.cors_origin),
        player_rate=arguments.player_rate,
        address_rate=arguments.address_rate,
        read_rate=arguments.read_rate,
        streams_max=arguments.streams,
        workers=arguments.workers,
        address_connections=arguments.address_connections,
    )
    issuer = issuer_of(arguments)
    with database_told(), tracing_to(arguments.traces):
        return run_to_its_end(_serve(data_directory_of(arguments), settings, issuer))


async def _serve(directory: Path, settings: HttpSettings, issuer: TrustedIssuer | None) -> int:
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(open_database(directory))
        await migrate_own_store(url)
        store = await EventReader.open(url)
        stack.push_async_callback(store.close)
        tokens = await TokenReader.open(url)
        stack.push_async_callback(tokens.close)
        feed = await Feed.open(store)
        stack.push_async_callback(feed.close)
        running = await stack.enter_async_context(reading(store, feed, Identities(tokens, issuer), settings))
        stopped = stop_signal()
        say(f"serving HTTP ({'TLS' if settings.tls else 'plaintext'}) on {running.url}")
        if running.metrics is not None:
            say(f"serving metrics on http://{running.metrics}")
        await stopped.wait()
        say("going down; clients are asked to resume their streams")
    return 0
