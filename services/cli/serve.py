"""`liarsdice serve`: one process with everything or several, on an embedded Postgres or on the one that DATABASE_URL names."""

import argparse
import asyncio
import signal
import sys
from contextlib import suppress
from pathlib import Path

from infra.failure import CommandFailed
from infra.keys.log_keys import SignerRing
from infra.log.policy import policy_in
from services.access.identity import TrustedIssuer
from services.app.database_address import DATABASE_VARIABLE
from services.app.descriptors import raise_descriptor_limit
from services.app.environment import database_told, find_log_keys, open_sealed_database
from services.app.run_loop import run_to_its_end
from services.app.settings import Settings
from services.app.tracing import tracing_to
from services.app.wiring import serving
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
from services.cli.flags.values import count_or_none, hours, processes, rate, seconds
from services.cli.play_hint import how_to_play, page_to_open
from services.cli.processes.messages import IssuerFlags, Reporting
from services.cli.processes.server import reload_when_asked, serving_together
from services.cli.service_log import add_log_format, start_log
from services.cli.service_process import stop_signal
from services.cli.terminal import say
from services.tables.allowance import Limits

LISTEN_DEFAULT = "127.0.0.1:50051"
HTTP_DEFAULT = "127.0.0.1:8080"
NO_HTTP = "none"
REGISTER_RATE = 1.0
REGISTER_RATE_SHARED = 5.0


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        f"The store is the database at {DATABASE_VARIABLE}, or an embedded Postgres if that is not set."
    )
    add_data(parser, "the embedded Postgres and the keys")
    add_listen(parser, LISTEN_DEFAULT, "for gRPC calls")
    parser.add_argument(
        "--http",
        default=HTTP_DEFAULT,
        metavar="HOST:PORT",
        help="the address for HTTP calls (default: %(default)s; port 0 takes a free one)",
    )
    parser.add_argument("--no-http", dest="http", action="store_const", const=NO_HTTP, help="serve gRPC alone")
    parser.add_argument(
        "--processes",
        type=processes,
        default=1,
        metavar="N",
        help="how many processes serve games on these ports, to use more than one core; only on Linux (default: %(default)s)",
    )
    add_metrics(parser)
    add_traces(parser)
    add_log_format(parser)
    add_cors(parser)
    add_tls(parser)
    parser.add_argument("--bot-seconds", type=seconds, default=0.8, help="how long bots think (default: %(default)s)")
    parser.add_argument(
        "--unstarted-hours",
        type=hours,
        default=24.0,
        help="how long to keep a table that nobody starts or touches, 0 for ever (default: %(default)s)",
    )
    _add_limits(parser)
    add_rates(parser)
    parser.add_argument(
        "--register-rate",
        type=rate,
        help="new players per second from one address, or from all of them together if --address-rate is 0, as behind a proxy;"
        f" 0 for no limit of its own (default: {REGISTER_RATE}, together {REGISTER_RATE_SHARED})",
    )
    add_issuer(parser)
    parser.add_argument(
        "--log-origin",
        metavar="NAME",
        help="the name of the audit log, which nobody else should use, like example.com/liarsdice (default: the one in the"
        " key file; a new key file gets one that is unique)",
    )
    parser.add_argument(
        "--witness-policy",
        type=Path,
        metavar="FILE",
        help="ask the witnesses in this file (C2SP tlog-policy) to cosign the audit log; proofs wait for the quorum that it"
        " names, and for nobody with `quorum none`",
    )
    parser.add_argument(
        "--check-events",
        type=count_or_none,
        default=200_000,
        metavar="N",
        help="check a store of at most N events against its signed checkpoint before serving it, and a larger one while"
        " serving it; 0 for no check (default: %(default)s)",
    )
    parser.add_argument("--no-projector", action="store_true", help="leave the read models to `liarsdice projector`")
    parser.add_argument("--channelz", action="store_true", help="also serve channelz, for debugging")
    parser.set_defaults(run=run)


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bot-rate",
        type=rate,
        default=50.0,
        help="moves per second of all bots at the tables of one player, 0 for no limit (default: %(default)s)",
    )
    parser.add_argument(
        "--table-rate",
        type=rate,
        default=0.2,
        help="new tables per second of one player, with five minutes' worth at once; an address may set up four times as many;"
        " 0 for no limit (default: %(default)s)",
    )
    for flag, default, what in (
        ("--tables-max", 50, "tables of a player that are not over"),
        ("--practice-games-max", 20, "practice games of a player that are not over"),
        ("--bot-games-max", 30, "running games with bots at the tables of a player"),
    ):
        parser.add_argument(
            flag,
            type=count_or_none,
            default=default,
            metavar="N",
            help=f"{what}, 0 for no limit (default: %(default)s)",
        )


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal stops it."""
    start_log(arguments.log_format)
    raise_descriptor_limit()
    directory = data_directory_of(arguments)
    settings, issuer = _settings(arguments), issuer_of(arguments)
    if settings.processes > 1:
        return _run_together(directory, arguments, settings)
    log_keys = find_log_keys(directory, arguments.log_origin)
    with database_told(), tracing_to(arguments.traces):
        return run_to_its_end(_serve(directory, log_keys, settings, issuer))


async def _serve(directory: Path, log_keys: SignerRing, settings: Settings, issuer: TrustedIssuer | None) -> int:
    async with (
        open_sealed_database(directory) as (url, keys),
        serving(url, keys, log_keys, settings, issuer) as running,
    ):
        # Until here a signal ends the start at once. From here on the server goes down in order.
        stopped = stop_signal()
        http = None if running.reading is None else running.reading.url
        _announce(running.address, http, running.logbook.keys[0], settings)
        await stopped.wait()
        say("going down; clients are asked to resume their streams")
    return 0


def _run_together(directory: Path, arguments: argparse.Namespace, settings: Settings) -> int:
    if sys.platform != "linux":
        raise CommandFailed("--processes needs Linux, which shares a port between processes")
    issuer = IssuerFlags(arguments.jwks, arguments.jwt_issuer, arguments.jwt_audience) if arguments.jwks else None
    reporting = Reporting(arguments.log_format, arguments.traces)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # Until there are processes that can be replaced.
    # Whoever starts a program with SIGHUP ignored, as nohup does, wants it to outlive its terminal.
    outlives = before is signal.SIG_IGN
    try:
        with database_told():
            return run_to_its_end(
                _serve_together(directory, arguments.log_origin, settings, issuer, reporting, outlives=outlives)
            )
    finally:
        signal.signal(signal.SIGHUP, before)


async def _serve_together(
    directory: Path,
    origin: str | None,
    settings: Settings,
    issuer: IssuerFlags | None,
    reporting: Reporting,
    *,
    outlives: bool,
) -> int:
    async with serving_together(directory, origin, settings, issuer, reporting) as running:
        stopped = stop_signal()
        reloading = asyncio.create_task(reload_when_asked(running.supervisor, stopped, outlives_terminal=outlives))
        _announce(running.address, running.url, running.vkey, settings)
        if running.lanes < settings.processes:
            say(
                f"this store has {running.lanes} lane{'s' * (running.lanes > 1)}, fewer than there are processes: they wait for each"
                " other when they write. The number is fixed when a store is made"
            )
        say(f"{settings.processes} processes share the ports")
        await stopped.wait()
        say("going down; clients are asked to resume their streams")
        reloading.cancel()
        with suppress(asyncio.CancelledError):
            await reloading
    return 0


def _announce(address: str, url: str | None, vkey: str, settings: Settings) -> None:
    kind = "TLS" if settings.tls is not None else "plaintext"
    say(f"serving gRPC ({kind}) on {address}")
    if url is not None:
        say(f"serving HTTP ({kind}) on {url}")
    say(f"the audit log is signed with {vkey}")
    say(f"play in another terminal: {how_to_play(address, settings.tls)}")
    if url is not None:
        say(f"Open {page_to_open(url)} to play.")


def _settings(arguments: argparse.Namespace) -> Settings:
    return Settings(
        listen=arguments.listen,
        http=None if arguments.http in ("", NO_HTTP) else arguments.http,
        metrics=arguments.metrics,
        cors_origins=tuple(arguments.cors_origin),
        tls=tls_of(arguments),
        plaintext_anywhere=arguments.plaintext,
        bot_seconds=arguments.bot_seconds,
        bot_rate=arguments.bot_rate,
        limits=Limits(
            tables=arguments.tables_max,
            practice_games=arguments.practice_games_max,
            bot_games=arguments.bot_games_max,
        ),
        unstarted_seconds=arguments.unstarted_hours * 3_600,
        player_rate=arguments.player_rate,
        address_rate=arguments.address_rate,
        address_connections=arguments.address_connections,
        register_rate=_register_rate(arguments),
        table_rate=arguments.table_rate,
        read_rate=arguments.read_rate,
        streams_max=arguments.streams,
        workers=arguments.workers,
        register_shared=not arguments.address_rate,
        check_events_max=arguments.check_events,
        policy=None if arguments.witness_policy is None else policy_in(arguments.witness_policy),
        projects=not arguments.no_projector,
        processes=arguments.processes,
        channelz=arguments.channelz,
    )


def _register_rate(arguments: argparse.Namespace) -> float:
    if arguments.register_rate is not None:
        return float(arguments.register_rate)
    # Behind a proxy nobody can tell addresses apart here. So the proxy limits by address, and this limits the process.
    return REGISTER_RATE if arguments.address_rate else REGISTER_RATE_SHARED
