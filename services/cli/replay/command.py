"""`liarsdice replay`: its flags; it shows the list of past games, a single step, or the whole game."""

import argparse
import asyncio
import sys

from msgspec import UNSET
from rich.text import Text

from domain.history.record import decode_record
from infra.failure import CommandFailed
from services.cli.caller import failures_in_a_sentence, identified
from services.cli.completeness import add_completeness_flags, until_complete
from services.cli.flags.of_clients import add_server_flags, tls_of
from services.cli.flags.of_output import add_json
from services.cli.flags.values import count_or_none, rate, seconds
from services.cli.replay.landmarks import Landmarks, landmarks_of
from services.cli.replay.past_list import add_list_flags, check_list_flags, print_list
from services.cli.replay.pressed_keys import keys_of_terminal
from services.cli.replay.screen import ReplayScreen
from services.cli.replay.session import SPEED_MAX, SPEED_MIN, Session
from services.cli.terminal import PipedConsole
from services.client import Client, Eyes, ReplayedStep, ReplayEnd

_WAIT_SECONDS = 5.0


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "Show a past game of a server. In a terminal it runs in its own time, and keys steer it; through a pipe each"
        " step is a line. Once the cups of a round were lifted, you can see it through anybody's eyes."
    )
    parser.add_argument("game", nargs="?", metavar="GAME", help="the game")
    parser.add_argument("--list", action="store_true", help="list the games that you can replay, the newest first")
    add_json(parser)
    eyes = parser.add_mutually_exclusive_group()
    eyes.add_argument("--seat", type=count_or_none, metavar="N", help="show what this seat saw (default: your own)")
    eyes.add_argument("--everything", action="store_true", help="show the dice under all cups that were lifted since")
    parser.add_argument("--step", type=count_or_none, metavar="K", help="print how the game stood after this step")
    parser.add_argument("--speed", type=rate, default=1.0, metavar="X", help="run X times as fast (default: 1)")
    parser.add_argument(
        "--wait",
        type=seconds,
        default=_WAIT_SECONDS,
        metavar="SECONDS",
        help="the longest time between two steps (default: %(default)g)",
    )
    add_list_flags(parser)
    add_server_flags(parser)
    add_completeness_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Replay."""
    if arguments.list == (arguments.game is not None):
        raise CommandFailed("name a game, or say --list")
    check_list_flags(arguments)
    if not SPEED_MIN <= arguments.speed <= SPEED_MAX:
        raise CommandFailed(f"--speed takes {SPEED_MIN:g} to {SPEED_MAX:g}")
    with failures_in_a_sentence():
        asyncio.run(_replay(arguments, ReplayScreen(PipedConsole())))
    return 0


async def _replay(arguments: argparse.Namespace, screen: ReplayScreen) -> None:
    player, token = await identified(arguments)
    async with Client.connect(arguments.server, token, tls_of(arguments)) as client:
        if arguments.list:
            await until_complete(client, arguments, "games")
            await print_list(client, player, arguments)
            return
        screen.remark = await _practice_remark(client, arguments.game)
        if arguments.step is not None:
            await _print_step(client, screen, arguments)
        elif screen.console.is_terminal and sys.stdin is not None and sys.stdin.isatty():
            await _show(client, screen, arguments)
        else:
            await _print_all(client, screen, arguments)


async def _practice_remark(client: Client, game_id: str) -> Text | None:
    """A remark for a practice game; None for any other."""
    record = decode_record((await client.past.record(game_id)).json)
    if record.forked_from is UNSET:
        return None
    past = f"game {record.forked_from} up to its step {record.forked_version}"
    return Text(f"A practice game, with the dice and bids of {past}.", "bold")


async def _print_step(client: Client, screen: ReplayScreen, arguments: argparse.Namespace) -> None:
    seen = await client.past.step(arguments.game, arguments.step, _eyes(arguments))
    if seen.step is None or seen.view is None:
        screen.console.print("Nothing has happened yet.")
        return
    for line in screen.frame(seen.step, seen.view, f"step {seen.step.version} of {seen.last_version}"):
        screen.console.print(line, soft_wrap=True)


async def _show(client: Client, screen: ReplayScreen, arguments: argparse.Namespace) -> None:
    replay = client.past.replay(
        arguments.game, _eyes(arguments), speed=arguments.speed, wait_seconds_max=arguments.wait
    )

    async def look_up() -> Landmarks:
        return landmarks_of(await client.past.steps(arguments.game))

    with keys_of_terminal() as keys:
        async with replay:
            await Session(replay, screen, keys, look_up).run()


async def _print_all(client: Client, screen: ReplayScreen, arguments: argparse.Namespace) -> None:
    """Print all steps as lines; only a person needs time to read them."""
    wait = arguments.wait if screen.console.is_terminal else 0.0
    replay = client.past.replay(arguments.game, _eyes(arguments), speed=arguments.speed, wait_seconds_max=wait)
    if screen.remark is not None:
        screen.console.print(screen.remark, soft_wrap=True)
    async with replay:
        async for replayed in replay:
            if isinstance(replayed, ReplayedStep):
                screen.console.print(screen.line(replayed.step, replayed.view), soft_wrap=True)
            elif isinstance(replayed, ReplayEnd):
                return


def _eyes(arguments: argparse.Namespace) -> Eyes:
    if arguments.everything:
        return "everything"
    seat: int | None = arguments.seat
    return seat
