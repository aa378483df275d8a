"""`liarsdice collusion`: how often players let each other's doubtful bids pass; for auditors, and a hint at most."""

import argparse
import asyncio

from liarsdice.v1 import statistics_service_pb2 as wire
from rich.table import Table

from domain.statistics.intervals import Rate
from domain.statistics.passed_bids import Difference, PassedBids, PassedBidsReport
from services.cli.caller import failures_in_a_sentence, identified
from services.cli.completeness import add_completeness_flags, until_complete
from services.cli.flags.of_clients import add_server_flags, tls_of
from services.cli.flags.of_output import add_json
from services.cli.terminal import PipedConsole, say_json
from services.client import Client
from services.client.channel import Channel
from services.wire.translation import from_message

HINT = (
    "A hint and no proof: friends, habits and chance look the same. A * stands where chance alone would rarely reach,"
    " with as many pairs as these."
)


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "For each pair of players: how often one let a bid of the other pass that the odds said to doubt, against what the player"
        " usually does. It needs a token with the scope `auditor` or `admin`."
    )
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="the ids of the players, 2 to 20")
    parser.add_argument("--rulebook", metavar="BOOK", help="only games of this rulebook")
    add_json(parser)
    add_server_flags(parser)
    add_completeness_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the report."""
    with failures_in_a_sentence():
        report = asyncio.run(_report(arguments))
    if arguments.json:
        say_json(report)
        return 0
    console, table = PipedConsole(), Table("", "player", "lets pass bids of", "theirs", "usually", "difference")
    for pair in report.pairs:
        table.add_row(*_row(pair))
    console.print(table)
    console.print(HINT, soft_wrap=True)
    return 0


async def _report(arguments: argparse.Namespace) -> PassedBidsReport:
    _, token = await identified(arguments)
    async with Client.connect(arguments.server, token, tls_of(arguments)) as client:
        await until_complete(client, arguments, "statistics")
    async with Channel(arguments.server, token, tls_of(arguments)) as channel:
        request = wire.GetPassedBidsRequest(player_ids=arguments.players, span=wire.Span(rulebook=arguments.rulebook))
        answer = await channel.ask(channel.statistics.GetPassedBids, request)
        return from_message(answer, PassedBidsReport)


def _row(pair: PassedBids) -> tuple[str, ...]:
    mark = "*" if pair.stands_out else ""
    return mark, pair.player_id, pair.other_id, _rate(pair.against_other), _rate(pair.usual), _points(pair.difference)


def _rate(rate: Rate) -> str:
    return f"{rate.count}/{rate.out_of}"


def _points(difference: Difference | None) -> str:
    if difference is None:
        return "-"
    value, low, high = (round(100 * one) for one in (difference.value, difference.low, difference.high))
    return f"{value:+d} % ({low:+d} to {high:+d})"
