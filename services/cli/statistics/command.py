"""`liarsdice statistics`: the numbers of players, whole, in groups and compared, leaderboards, decisions and how games go."""

import argparse
import asyncio
from collections.abc import Iterable
from typing import get_args

from rich.table import Table
from rich.text import Text

from domain.commands import Kind
from domain.freshness import Freshness
from domain.statistics.answers import (
    DecisionMade,
    DecisionsWanted,
    GameGrouping,
    GameStatistics,
    Grouping,
    Matrix,
    Measure,
    Order,
    Played,
    Span,
)
from infra.failure import CommandFailed
from services.cli.caller import failures_in_a_sentence, recognised
from services.cli.columns import print_uncropped
from services.cli.completeness import add_completeness_flags, until_complete
from services.cli.flags.of_clients import add_server_flags, tls_of
from services.cli.flags.of_games import add_span, check_times
from services.cli.flags.of_output import add_json
from services.cli.flags.values import count
from services.cli.statistics.lists import DecisionList, Groups, decisions_table, games_table, groups_table, matrix_table
from services.cli.statistics.screen import board_table, comparison_table, player_tables
from services.cli.terminal import PipedConsole, say_json
from services.client import Client, HeadToHead, Leaderboard, PlayerStatistics

_SIZE_DEFAULT, _SIZE_MAX = 20, 100

Answer = PlayerStatistics | Leaderboard | HeadToHead | Groups | DecisionList | Matrix | GameStatistics


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "Numbers about players of a server. Each has its count and, if chance plays a part, its 95 % interval."
        " docs/reference/statistics.md defines them."
    )
    parser.add_argument("player", nargs="?", metavar="PLAYER", help="the id of a player (default: your own)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--against", metavar="PLAYER", help="compare with this player, at the tables where both sat")
    what.add_argument(
        "--leaderboard",
        nargs="?",
        const="rating",
        choices=get_args(Measure),
        help="rank players by rating, wins, challenges, bids, decisions or games (default: rating)",
    )
    what.add_argument("--by", choices=get_args(Grouping), help="the numbers of a player, group by group")
    what.add_argument(
        "--decisions",
        nargs="?",
        const="newest",
        choices=get_args(Order),
        help="the decisions of a player, the newest or the worst first (default: newest)",
    )
    what.add_argument("--matrix", nargs="+", metavar="PLAYER", help="everybody of these 2 to 20 against everybody")
    what.add_argument(
        "--games",
        nargs="?",
        const="rulebook",
        choices=get_args(GameGrouping),
        help="how long public games are and what it is worth to open, by rulebook, players or week (default: rulebook)",
    )
    add_span(parser)
    parser.add_argument(
        "--played", choices=get_args(Played), default="ended", help="only games with this end (default: %(default)s)"
    )
    parser.add_argument("--kind", choices=get_args(Kind), help="only people, or only bots, on the leaderboard")
    parser.add_argument(
        "--games-min",
        type=count,
        metavar="N",
        help="only players with at least N games on the leaderboard (default: 1)",
    )
    parser.add_argument(
        "--size",
        type=count,
        metavar="N",
        help=f"how long the leaderboard or the list of decisions is (default: {_SIZE_DEFAULT})",
    )
    add_json(parser)
    add_server_flags(parser)
    add_completeness_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print numbers."""
    if arguments.leaderboard is not None and arguments.player is not None:
        raise CommandFailed("a leaderboard is not about one player: leave PLAYER or --leaderboard out")
    if arguments.leaderboard == "rating" and arguments.played != "ended":
        raise CommandFailed("only ended games are rated: leave --played out, or rank by another measure")
    if arguments.matrix is not None and arguments.player is not None:
        raise CommandFailed("a matrix is not about one player: name all of them after --matrix")
    if arguments.games is not None and arguments.player is not None:
        raise CommandFailed("how games go is not about one player: leave PLAYER or --games out")
    if arguments.leaderboard is None and (arguments.kind or arguments.games_min):
        raise CommandFailed("--kind and --games-min choose players of a leaderboard: say --leaderboard too")
    if arguments.leaderboard is None and arguments.decisions is None and arguments.size:
        raise CommandFailed("--size is about a list: say --leaderboard or --decisions too")
    if (arguments.size or 1) > _SIZE_MAX and arguments.decisions is None:
        raise CommandFailed(f"--size takes 1 to {_SIZE_MAX}")
    check_times(arguments)
    with failures_in_a_sentence():
        answer = asyncio.run(_answer(arguments))
    if arguments.json:
        say_json(answer)
        return 0
    console = PipedConsole()
    for table in _tables(answer):
        print_uncropped(console, table)
    return 0


async def _answer(arguments: argparse.Namespace) -> Answer:
    player, token = await recognised(arguments)
    async with Client.connect(arguments.server, token, tls_of(arguments)) as client:
        freshness = await until_complete(client, arguments, "statistics")
        if arguments.leaderboard is not None:
            return await _leaderboard(client, arguments)
        if arguments.matrix is not None:
            return await client.statistics.matrix(arguments.matrix, _span(arguments))
        if arguments.games is not None:
            return await client.statistics.games(arguments.games, _span(arguments))
        player_id = arguments.player or (None if player is None else player.player_id)
        if player_id is None:
            raise CommandFailed("this server does not know you yet: name a player, or say --leaderboard")
        if arguments.against is not None:
            return await client.statistics.head_to_head(player_id, arguments.against, _span(arguments))
        if arguments.by is not None:
            found = [one async for one in client.statistics.groups(player_id, arguments.by, _span(arguments))]
            return Groups(player_id=player_id, by=arguments.by, groups=tuple(found), freshness=freshness)
        if arguments.decisions is not None:
            return await _decisions(client, player_id, arguments, freshness)
        return await client.statistics.player(player_id, _span(arguments))


async def _decisions(
    client: Client, player_id: str, arguments: argparse.Namespace, freshness: Freshness
) -> DecisionList:
    found: list[DecisionMade] = []
    async for made in client.statistics.decisions(
        player_id, DecisionsWanted(order=arguments.decisions), _span(arguments)
    ):
        found.append(made)
        if len(found) == (arguments.size or _SIZE_DEFAULT):
            break
    return DecisionList(player_id=player_id, decisions=tuple(found), freshness=freshness)


async def _leaderboard(client: Client, arguments: argparse.Namespace) -> Leaderboard:
    return await client.statistics.leaderboard(
        _span(arguments),
        measure=arguments.leaderboard,
        kind=arguments.kind,
        games_min=arguments.games_min or 1,
        size=arguments.size or _SIZE_DEFAULT,
    )


def _tables(answer: Answer) -> Iterable[Table | Text]:
    match answer:
        case PlayerStatistics():
            return player_tables(answer)
        case HeadToHead():
            return (comparison_table(answer),)
        case GameStatistics(groups=()) | Groups(groups=()) | DecisionList(decisions=()):
            return (Text("There is nothing to show of such games yet."),)
        case Groups():
            return (groups_table(answer),)
        case GameStatistics():
            return (games_table(answer),)
        case DecisionList():
            return (decisions_table(answer),)
        case Matrix():
            return (matrix_table(answer),)
        case Leaderboard(entries=()):
            return (Text("Nobody has played such games yet."),)
        case Leaderboard():
            return (board_table(answer),)


def _span(arguments: argparse.Namespace) -> Span:
    return Span(rulebook=arguments.rulebook, since=arguments.since, until=arguments.until, played=arguments.played)
