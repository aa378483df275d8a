"""`liarsdice play`: its flags, who plays, and from which table to which."""

import argparse
import asyncio
import os
from pathlib import Path

from services.bots import BOTS
from services.client import (
    Client,
    FalseServer,
    Patience,
    Player,
    Refused,
    SeatKeeper,
    Table,
    Tls,
    TokenFile,
    Unreachable,
)
from services.failure import CommandFailed
from services.play.choosing import Chooser, Seating, Wish
from services.play.keyboard import Keyboard, keyboard_of_process
from services.play.screen import Screen
from services.play.session import Session
from services.subcommands import Subcommands, options_of
from services.telling import PipedConsole

SERVER_VARIABLE = "LIARSDICE_SERVER"
SERVER_DEFAULT = "127.0.0.1:50051"
_FIRST_TRY = Patience(total_seconds=3.0)
_INTERRUPTED = 130


def add_to(subcommands: Subcommands) -> None:
    """Add the subcommand and its flags."""
    parser = subcommands.add_parser(
        "play",
        help="play at a server, in the terminal",
        description="Sit down at a table of a server. Without flags you are shown the tables that there are.",
    )
    parser.add_argument(
        "--server",
        default=os.environ.get(SERVER_VARIABLE) or SERVER_DEFAULT,
        metavar="HOST:PORT",
        help=f"where the server is (default: {SERVER_VARIABLE}, or {SERVER_DEFAULT})",
    )
    parser.add_argument("--name", help="what the others call you (default: as the last time, or your account's name)")
    parser.add_argument("--new", action="store_true", help="set up a table, without questions")
    parser.add_argument("--rulebook", metavar="ID", help="the rulebook of the new table (default: the server's first)")
    parser.add_argument("--bots", type=int, metavar="N", help="bots at the new table; with some it begins at once")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option, e.g. turn_seconds=30"
    )
    parser.add_argument("--private", action="store_true", help="the new table can only be joined with its code")
    parser.add_argument("--join", metavar="GAME", help="sit down at this table, or come back to it")
    parser.add_argument("--code", default="", help="the invitation code of a private table")
    parser.add_argument("--watch", metavar="GAME", help="look on at this table")
    parser.add_argument("--auto", choices=list(BOTS), help="let a bot play your seat, from here")
    parser.add_argument("--odds", action="store_true", help="show the odds from the start")
    parser.add_argument("--server-rolls", action="store_true", help="let the server keep your chain, and roll for you")
    parser.add_argument("--sign", action="store_true", help="sign every move of the seats that you take")
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="where your tokens are remembered; the chains of your seats are kept beside it",
    )
    parser.add_argument("--tls", action="store_true", help="connect with TLS, and trust whom the system trusts")
    parser.add_argument("--tls-ca", type=Path, metavar="FILE", help="connect with TLS, and trust this authority")
    parser.add_argument(
        "--tls-certificate", type=Path, metavar="FILE", help="the certificate to show to a server that asks, as PEM"
    )
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help="its private key, as PEM")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play until the player leaves."""
    keyboard = keyboard_of_process()
    screen = Screen(PipedConsole(), odds=arguments.odds, prompts=keyboard.is_person)
    try:
        asyncio.run(_Evening(arguments, screen, keyboard).play())
    except (Refused, Unreachable, FalseServer) as failure:
        raise CommandFailed(str(failure)) from None
    except KeyboardInterrupt:
        screen.say("\nYou left. A seat that you have stays yours: liarsdice play brings you back.")
        return _INTERRUPTED
    return 0


class _Evening:
    """One run of the program: a player, and one table after the other."""

    def __init__(self, arguments: argparse.Namespace, screen: Screen, keyboard: Keyboard) -> None:
        self._arguments, self._screen, self._keyboard = arguments, screen, keyboard
        self._tls = _tls(arguments)
        self._seating = _seating(arguments)
        tokens = arguments.token_file or _default_token_file()
        self._tokens, self._seats = TokenFile(tokens), SeatKeeper(tokens.parent / "seats")

    async def play(self) -> None:
        """Play until there is no further table."""
        wish = self._wish()
        player, token = await self._identified()
        async with Client.connect(self._arguments.server, token, self._tls, seats=self._seats) as client:
            self._screen.say(f"You are {player.name}, at {self._arguments.server}.")
            table = await Chooser(client, self._screen, self._keyboard, self._seating).table(wish)
            while table is not None:
                table = await self._played(client, table)

    async def _played(self, client: Client, table: Table) -> Table | None:
        """Play at a table to the end; the next one, if the player wants one."""
        bot = None if self._arguments.auto is None else BOTS[self._arguments.auto]
        ending = await Session(table, self._screen, self._keyboard, bot).run()
        if ending == "left":
            self._screen.say("You left. If you have a seat, it stays yours: liarsdice play brings you back.")
            return None
        if bot is not None or self._arguments.watch is not None or not self._keyboard.is_person:
            return None
        chooser = Chooser(client, self._screen, self._keyboard, self._seating)
        match await chooser.asked("Type r for a rematch, n for another table, anything else to leave."):
            case "r":
                return await _rematch(table, self._seating)
            case "n":
                return await chooser.table(Wish())
            case _:
                return None

    async def _identified(self) -> tuple[Player, str]:
        """Who plays: known by a remembered token, or new. A server that is not there is noticed soon."""
        address, name = self._arguments.server, self._arguments.name
        token = self._tokens.token(address, name)
        async with Client.connect(address, token, self._tls, _FIRST_TRY) as client:
            player = None if token is None else await _known(client)
            if player is None:
                player = await client.register(name or os.environ.get("USER") or "Player")
            assert client.token is not None
            self._tokens.keep(address, player.name, client.token)
            return player, client.token

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
            private=arguments.private,
            join=arguments.join,
            code=arguments.code,
            watch=arguments.watch,
        )


def _seating(arguments: argparse.Namespace) -> Seating:
    if arguments.sign and arguments.server_rolls:
        raise CommandFailed("--sign needs a chain of your own, so it can't be meant together with --server-rolls")
    return Seating(own_chain=not arguments.server_rolls, sign_moves=arguments.sign)


def _tls(arguments: argparse.Namespace) -> Tls | None:
    if bool(arguments.tls_certificate) != bool(arguments.tls_key):
        raise CommandFailed("--tls-certificate and --tls-key belong together")
    if not (arguments.tls or arguments.tls_ca or arguments.tls_key):
        return None
    for path in (arguments.tls_ca, arguments.tls_certificate, arguments.tls_key):
        if path is not None and not os.access(path, os.R_OK):
            raise CommandFailed(f"can't read {path}")
    return Tls(arguments.tls_ca, arguments.tls_certificate, arguments.tls_key)


async def _known(client: Client) -> Player | None:
    try:
        return await client.player()
    except Refused as refusal:
        # The server may have been set up anew; then the player is, too.
        if refusal.reason == "TOKEN_INVALID":
            return None
        raise


async def _rematch(table: Table, seating: Seating) -> Table:
    """The next game with the same players; against bots alone it begins at once."""
    rematch = await table.rematch(own_chain=seating.own_chain, sign_moves=seating.sign_moves)
    view = (await rematch.game()).view
    if view.moves.start and all(seat.kind == "bot" for seat in view.seats if seat.seat != view.viewer):
        await rematch.start()
    return rematch


def _default_token_file() -> Path:
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(home) / "liarsdice" / "tokens.json"
