"""Flags that choose games one by one, for lists and exports."""

import argparse
from collections.abc import Sequence

from services.cli.flags.values import moment
from services.client import GameFilter


def add_filter(parser: argparse._ActionsContainer, results: Sequence[str], begins: str) -> None:
    """Add the flags that choose games one by one; `begins` says which moment of a game `--since` is about."""
    parser.add_argument("--player", default="", metavar="ID", help="only games of this player")
    parser.add_argument("--rulebook", metavar="ID", help="only games by this rulebook")
    parser.add_argument("--result", choices=results, help="only games with this result")
    parser.add_argument("--since", type=moment, metavar="DATE", help=f"only games that {begins} then or later")
    parser.add_argument("--until", type=moment, metavar="DATE", help=f"only games that {begins} before")
    parser.add_argument("--practice", action="store_true", help="practice games too")


def filter_of(arguments: argparse.Namespace) -> GameFilter:
    """Which games are meant."""
    return GameFilter(
        player_id=arguments.player,
        rulebook=arguments.rulebook or "",
        result=arguments.result,
        since=arguments.since,
        until=arguments.until,
        include_practice=arguments.practice,
    )
