"""`liarsdice play`: its flags, and one table after the other."""

import argparse
import asyncio
import sys
from contextlib import nullcontext, suppress

from infra.failure import CommandFailed
from services.bots import BOTS
from services.cli.caller import failures_in_a_sentence, identified, token_file_of
from services.cli.flags.of_clients import add_server_flags, tls_of
from services.cli.flags.of_games import add_code, add_options, options_of
from services.cli.play.chooser import BOTS_DEFAULT, Chooser, Seating, Wish
from services.cli.play.keyboard import Keyboard, keyboard_of_process
from services.cli.play.screen import Screen
from services.cli.play.session import Session
from services.cli.terminal import PipedConsole
from services.client import Client, Refused, SeatKeeper, Table, Unreachable

_INTERRUPTED = 130
_REMATCH_SECONDS = 1.0


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = "Sit down at a table of a server. Without flags you see the list of tables, and choose."
    parser.add_argument("--new", action="store_true", help="set up a table without asking questions")
    parser.add_argument("--rulebook", metavar="ID", help="the rulebook of the new table (default: the server's first)")
    parser.add_argument(
        "--bots",
        type=int,
        metavar="N",
        help=f"the number of bots at the new table; a table with bots begins at once (default: {BOTS_DEFAULT}, or 0 with --private)",
    )
    add_options(parser, "turn_seconds=30")
    parser.add_argument("--private", action="store_true", help="let players join the new table only with its code")
    parser.add_argument("--join", metavar="GAME", help="sit down at this table, or come back to it")
    add_code(parser)
    parser.add_argument("--watch", metavar="GAME", help="watch this table")
    parser.add_argument("--auto", choices=list(BOTS), help="let this bot play your seat, on this machine")
    parser.add_argument("--odds", action="store_true", help="show the odds from the start")
    parser.add_argument("--server-rolls", action="store_true", help="let the server keep your chain and roll for you")
    parser.add_argument("--sign", action="store_true", help="sign every move of your seat")
    add_server_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play until the player leaves."""
    keyboard = keyboard_of_process()
    console = PipedConsole()
    edits = keyboard.is_person and console.is_terminal and not console.is_dumb_terminal and sys.platform != "win32"
    half_typed = (lambda: keyboard.half_typed) if edits else None
    screen = Screen(console, odds=arguments.odds, prompts=keyboard.is_person, half_typed=half_typed)
    try:
        with failures_in_a_sentence(), keyboard.key_by_key(screen.echo) if edits else nullcontext():
            asyncio.run(_Evening(arguments, screen, keyboard).play())
    except KeyboardInterrupt:
        screen.say(["", "You left. A seat that you have stays yours: liarsdice play brings you back."])
        return _INTERRUPTED
    return 0


class _Evening:
    """One run of the program: a player, and one table after the other."""

    def __init__(self, arguments: argparse.Namespace, screen: Screen, keyboard: Keyboard) -> None:
        self._arguments, self._screen, self._keyboard = arguments, screen, keyboard
        self._tls = tls_of(arguments)
        self._seating = _seating(arguments)
        self._seats = SeatKeeper(token_file_of(arguments).parent / "seats")

    async def play(self) -> None:
        """Play until there is no further table."""
        wish = self._wish()
        player, token = await identified(self._arguments, self._screen.say)
        async with Client.connect(self._arguments.server, token, self._tls, seats=self._seats) as client:
            self._screen.say(f"You are {player.name}, at {self._arguments.server}.")
            table = await Chooser(client, self._screen, self._keyboard, self._seating).table(wish)
            while table is not None:
                table = await self._next_table(client, table)

    async def _next_table(self, client: Client, table: Table) -> Table | None:
        """Play at a table to the end; the next table, if the player wants one."""
        bot = None if self._arguments.auto is None else BOTS[self._arguments.auto]
        ending = await Session(table, self._screen, self._keyboard, bot).run()
        if ending == "left":
            self._screen.say("You left. If you have a seat, it stays yours: liarsdice play brings you back.")
            return None
        if bot is not None or self._arguments.watch is not None or not self._keyboard.is_person:
            return None
        chooser = Chooser(client, self._screen, self._keyboard, self._seating)
        watcher = asyncio.create_task(self._watch_for_rematch(table))
        try:
            answer = await chooser.answer("Type r for a rematch, n for another table, anything else to leave.")
        finally:
            watcher.cancel()
        if answer == "r":
            return await _rematch(table, self._seating)
        return await chooser.table(Wish()) if answer == "n" else None

    async def _watch_for_rematch(self, table: Table) -> None:
        """Tell the player that somebody else has set up a rematch."""
        with suppress(Refused, Unreachable):
            while (await table.game()).rematch_id is None:  # noqa: ASYNC110 - a game that is over is not watched any more
                await asyncio.sleep(_REMATCH_SECONDS)
            self._screen.say("There is a rematch: type r to sit down there.", "bold")
            self._screen.prompt()

    def _wish(self) -> Wish:
        arguments = self._arguments
        if arguments.bots is not None and arguments.bots < 0:
            raise CommandFailed("--bots takes a number from 0 on")
        if sum((arguments.new, arguments.join is not None, arguments.watch is not None)) > 1:
            raise CommandFailed("only one of --new, --join and --watch can be meant")
        return Wish(
            new=arguments.new,
            rulebook=arguments.rulebook,
            bots=arguments.bots,
            options=options_of(arguments.option),
            clock_given=any(pair.startswith("turn_seconds=") for pair in arguments.option),
            private=arguments.private,
            join=arguments.join,
            code=arguments.code,
            watch=arguments.watch,
        )


def _seating(arguments: argparse.Namespace) -> Seating:
    if arguments.sign and arguments.server_rolls:
        raise CommandFailed("--sign needs a chain of your own, so it can't be meant together with --server-rolls")
    return Seating(own_chain=not arguments.server_rolls, sign_moves=arguments.sign)


async def _rematch(table: Table, seating: Seating) -> Table:
    """The next game with the same players; against bots alone it begins at once."""
    # Without the flag the seat signs if it did before: the player may have sat down with it in an earlier run.
    rematch = await table.rematch(own_chain=seating.own_chain, sign_moves=seating.sign_moves or None)
    view = (await rematch.game()).view
    if view.moves.start and all(seat.kind == "bot" for seat in view.seats if seat.seat != view.viewer):
        await rematch.start()
    return rematch
