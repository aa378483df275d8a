"""`liarsdice report`: its flags, and the file that it writes."""

import argparse
import asyncio
import sys
from datetime import UTC, datetime
from typing import get_args

from domain.statistics.answers import Played, Span
from infra.failure import CommandFailed
from services.cli.caller import failures_in_a_sentence, recognised
from services.cli.completeness import add_completeness_flags, until_complete
from services.cli.flags.of_clients import add_server_flags, tls_of
from services.cli.flags.of_games import add_span, check_times
from services.cli.output import output
from services.cli.report.page import report_page
from services.cli.report.portrait import Portrait, portrait_of
from services.cli.terminal import say
from services.client import Client


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "Writes the numbers of a player, each with its definition, and pictures of them to one HTML file. Any browser shows it"
        " without a network."
    )
    parser.add_argument("player", nargs="?", metavar="PLAYER", help="the id of a player (default: your own)")
    parser.add_argument("--out", required=True, metavar="FILE", help="the file to write; - is standard output")
    add_span(parser)
    parser.add_argument(
        "--played", choices=get_args(Played), default="ended", help="only games with this end (default: %(default)s)"
    )
    add_server_flags(parser)
    add_completeness_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the report."""
    check_times(arguments)
    with failures_in_a_sentence():
        portrait = asyncio.run(_portrait(arguments))
    page = report_page(portrait, arguments.server, datetime.now(UTC))
    with output(arguments.out) as out:
        out.write(page.encode())
    if arguments.out != "-":
        say(f"The report on {portrait.numbers.games:,} games is in {arguments.out}.", file=sys.stderr)
    return 0


async def _portrait(arguments: argparse.Namespace) -> Portrait:
    player, token = await recognised(arguments)
    player_id = arguments.player or (None if player is None else player.player_id)
    if player_id is None:
        raise CommandFailed("this server does not know you yet: name a player")
    span = Span(rulebook=arguments.rulebook, since=arguments.since, until=arguments.until, played=arguments.played)
    async with Client.connect(arguments.server, token, tls_of(arguments)) as client:
        await until_complete(client, arguments, "statistics")
        return await portrait_of(client, player_id, span)
