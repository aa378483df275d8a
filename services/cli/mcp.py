"""`liarsdice mcp`: lets a language model play at a server, over the Model Context Protocol on standard input and output."""

import argparse
import asyncio
import signal
import sys
from importlib import import_module
from typing import Any

from infra.failure import CommandFailed
from services.cli.caller import identified, token_file_of
from services.cli.flags.of_clients import add_server_flags, tls_of
from services.cli.service_log import start_log
from services.cli.terminal import say
from services.client import Client, Player, SeatKeeper
from services.mcp.problems import not_done
from services.mcp.session import Setup
from services.verifier import read_key

_MISSING = (
    "the tools for language models need version 2 of the package mcp, which is not installed here:"
    " run python -m pip install 'mcp>=2,<3'"
)


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the subcommand."""
    parser.description = (
        "A server of the Model Context Protocol (MCP) over standard input and output. Programs with a language model start"
        " it by themselves; docs/client/mcp.md says how to name it to them. Needs the package mcp."
    )
    parser.add_argument(
        "--server-rolls", action="store_true", help="let the server keep the chain of a seat and roll for it"
    )
    parser.add_argument("--sign", action="store_true", help="sign every move of a seat")
    parser.add_argument("--public-key", metavar="KEY", help="the public key that an audited log must be signed with")
    add_server_flags(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until standard input ends."""
    _check(arguments)
    serve = _loaded().serve
    if sys.stdin.isatty():
        say("This speaks MCP, and waits for a program that does too: see docs/client/mcp.md.", file=sys.stderr)
    start_log()
    # A thread waits for standard input, and nothing but input ends it. Nothing is lost by an end without a farewell: the
    # secrets of a seat are on the disk before the server hears of it.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    setup = Setup(own_chain=not arguments.server_rolls, sign_moves=arguments.sign, public_key=arguments.public_key)
    asyncio.run(serve(lambda: connect(arguments), setup))
    return 0


def _check(arguments: argparse.Namespace) -> None:
    """Fail at once for what would otherwise go wrong when the first tool is called."""
    if arguments.sign and arguments.server_rolls:
        raise CommandFailed("--sign needs a chain of your own, so it can't be meant together with --server-rolls")
    if sys.stdin is None or sys.stdout is None:
        raise CommandFailed("MCP needs standard input and standard output, and one of them is closed")
    tls_of(arguments)
    try:
        if arguments.public_key is not None:
            read_key(arguments.public_key)
    except ValueError:
        raise CommandFailed(f"{arguments.public_key} is not a key: a key is NAME+ID+KEY") from None


def _loaded() -> Any:
    """The module that serves, which needs a library that most users don't."""
    try:
        import_module("mcp")
        return import_module("services.mcp.server")
    except ImportError as error:
        if not (error.name or "").startswith("mcp"):
            raise
        raise CommandFailed(_MISSING) from None


async def connect(arguments: argparse.Namespace) -> tuple[Player, Client]:
    """The player, and a client that keeps seats as `liarsdice play` does."""
    try:
        player, token = await identified(arguments)
    except CommandFailed as failure:
        raise not_done("SERVER_UNREACHABLE", str(failure)) from None
    seats = SeatKeeper(token_file_of(arguments).parent / "seats")
    return player, Client.connect(arguments.server, token, tls_of(arguments), seats=seats)
