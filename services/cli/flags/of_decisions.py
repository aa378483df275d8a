"""Flags that choose decisions."""

import argparse
from typing import NamedTuple, get_args

from domain.statistics.answers import DecisionsWanted, Order, Span
from domain.statistics.decisions import Action, Phase
from infra.failure import CommandFailed
from services.cli.flags.values import count

_FORMATS = ("ndjson", "csv", "parquet")


class DecisionsAsked(NamedTuple):
    """Decisions of a player, or all of a game."""

    player_id: str
    game_id: str | None
    span: Span
    wanted: DecisionsWanted


def add_decision_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that ask for decisions instead of games, and choose among them."""
    group = parser.add_argument_group("decisions")
    group.add_argument(
        "--decisions",
        action="store_true",
        help="bids and challenges with their chances: those of --player or of --game",
    )
    group.add_argument("--game", metavar="ID", help="all decisions of this game")
    group.add_argument("--order", choices=get_args(Order), help="the newest or the worst first (default: newest)")
    group.add_argument("--action", choices=get_args(Action), help="only bids, or only challenges")
    group.add_argument("--regret-min", type=_share, metavar="SHARE", help="only with so much regret, 0 to 1")
    group.add_argument("--dice-left", type=count, metavar="N", help="only with so many dice in play")
    group.add_argument("--players-left", type=count, metavar="N", help="only with so many players left")
    group.add_argument("--phase", choices=get_args(Phase), help="only in this phase of the game")
    group.add_argument(
        "--bluffs", dest="bluff", action=argparse.BooleanOptionalAction, help="only bluffs, or only bids that are none"
    )


def refuse_decision_flags(arguments: argparse.Namespace) -> None:
    """Refuse flags about decisions where games are asked for."""
    _refuse(arguments, ("game", *_FILTERS), "is about decisions: say --decisions too")


def decisions_asked(arguments: argparse.Namespace) -> DecisionsAsked:
    """Which decisions are asked for."""
    if arguments.format not in _FORMATS:
        raise CommandFailed(f"decisions come as {', '.join(_FORMATS)}, and not as {arguments.format}")
    if bool(arguments.player) == bool(arguments.game):
        raise CommandFailed("--decisions needs either --player or --game")
    if arguments.game:
        spans = ("rulebook", "result", "since", "until", "practice", "state")
        _refuse(arguments, (*spans, *_FILTERS), "is about the decisions of a player, and not of a game")
    if arguments.practice and arguments.result:
        raise CommandFailed("practice games are not told by their result: leave --practice or --result out")
    span = Span(
        rulebook=arguments.rulebook,
        since=arguments.since,
        until=arguments.until,
        played="practice" if arguments.practice else arguments.result or "ended",
    )
    given = {name: getattr(arguments, name) for name in _FILTERS}
    wanted = DecisionsWanted(**{name: value for name, value in given.items() if value is not None})
    return DecisionsAsked(arguments.player, arguments.game, span, wanted)


_FILTERS = ("order", "action", "regret_min", "dice_left", "players_left", "phase", "bluff")


def _refuse(arguments: argparse.Namespace, names: tuple[str, ...], why: str) -> None:
    for name in names:
        if getattr(arguments, name) not in {None, False, ""} or (name == "bluff" and arguments.bluff is False):
            flag = "bluffs" if name == "bluff" else name.replace("_", "-")
            raise CommandFailed(f"--{flag} {why}")


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"a number from 0 to 1 is needed, not {text!r}")
    return share
