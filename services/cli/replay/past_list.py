"""The list of past games: a page of it as a table, or as JSON."""

import argparse
import time
from typing import get_args

from msgspec.structs import replace
from rich.table import Table
from rich.text import Text

from infra.failure import CommandFailed
from services.cli.columns import columns, fold, print_uncropped
from services.cli.flags.of_games import check_times
from services.cli.flags.of_lists import add_filter, filter_of
from services.cli.flags.values import count
from services.cli.terminal import PipedConsole, say, say_json
from services.client import Client, GameFilter, PastGame, PastGamesPage, Player
from services.client.past_answers import Outcome

_SIZE_MAX = 100
_SIZE_DEFAULT = 20
_OF_LIST = ("player", "mine", "rulebook", "result", "since", "until", "practice", "size", "page", "json")
"""The flags that only a list has."""


def add_list_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say which games are listed."""
    listed = parser.add_argument_group("with --list")
    add_filter(listed, get_args(Outcome), "were set up")
    listed.add_argument("--mine", action="store_true", help="only your own games")
    listed.add_argument("--size", type=count, metavar="N", help=f"games on a page (default: {_SIZE_DEFAULT})")
    listed.add_argument("--page", type=count, metavar="N", help="the page, from 1 on (default: 1)")


def check_list_flags(arguments: argparse.Namespace) -> None:
    """Fail for flags that can't be meant."""
    if not arguments.list:
        given = [f"--{name}" for name in _OF_LIST if getattr(arguments, name)]
        if given:
            raise CommandFailed(f"{', '.join(given)}: only with --list")
    check_times(arguments)
    if arguments.mine and arguments.player:
        raise CommandFailed("--mine and --player name two players: leave one of them out")
    if (arguments.size or 1) > _SIZE_MAX:
        raise CommandFailed(f"--size takes 1 to {_SIZE_MAX}")


async def print_list(client: Client, player: Player, arguments: argparse.Namespace) -> None:
    """Print a page of the list."""
    wanted = filter_of(arguments)
    if arguments.mine:
        wanted = replace(wanted, player_id=player.player_id)
    page = await _page(client, wanted, arguments.size or _SIZE_DEFAULT, arguments.page or 1)
    if arguments.json:
        say_json(page)
    elif page.games:
        print_uncropped(PipedConsole(), _table(page))
        if page.next_page_token is not None:
            say(f"There are more: --page {(arguments.page or 1) + 1} shows the next.")
    else:
        say("No such games." if arguments.page in (None, 1) else "The list has no such page.")


async def _page(client: Client, wanted: GameFilter, size: int, number: int) -> PastGamesPage:
    """A page by its number; an empty one after the last."""
    page = await client.past.page(wanted, size=size)
    for _ in range(number - 1):
        if page.next_page_token is None:
            return PastGamesPage((), None, page.freshness)
        page = await client.past.page(wanted, size=size, token=page.next_page_token)
    return page


def _table(page: PastGamesPage) -> Table:
    table = columns("", "players", "result", "rulebook", "rounds", "set up", "game")
    table.title = None
    for game in page.games:
        players = ", ".join(seat.name for seat in game.seats) or "nobody yet"
        set_up = time.strftime("%Y-%m-%d %H:%M", time.localtime(game.created_at / 1_000))
        rounds = "" if game.rounds is None else str(game.rounds)
        table.add_row(players, _result(game), game.rulebook, rounds, set_up, Text(game.game_id, "dim"))
    fold(table.columns[0])
    return table


def _result(game: PastGame) -> str:
    result = game.result if game.winner is None else f"{game.seats[game.winner].name} won"
    return f"{result}, practice" if game.forked_from is not None else result
