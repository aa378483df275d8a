"""Flags and tokens of the commands that call a server."""

import argparse
import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from infra.failure import CommandFailed
from services.client import Client, Patience, Player, Refused, Tls, TokenFile, Unreachable

SERVER_VARIABLE = "LIARSDICE_SERVER"
SERVER_DEFAULT = "127.0.0.1:50051"
_FIRST_TRY = Patience(total_seconds=3.0)
_SILENCE_SECONDS = 0.5


def add_server_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say which server is called, and by whom."""
    parser.add_argument(
        "--server",
        default=os.environ.get(SERVER_VARIABLE) or SERVER_DEFAULT,
        metavar="HOST:PORT",
        help=f"where the server is (default: {SERVER_VARIABLE}, or {SERVER_DEFAULT})",
    )
    parser.add_argument("--name", help="what the others call you (default: as the last time, or your account's name)")
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="where your tokens are remembered; the chains of your seats are kept beside it",
    )
    add_tls_flags(parser)


def add_tls_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say how to connect."""
    parser.add_argument("--tls", action="store_true", help="connect with TLS, and trust whom the system trusts")
    parser.add_argument("--tls-ca", type=Path, metavar="FILE", help="connect with TLS, and trust this authority")
    parser.add_argument(
        "--tls-certificate", type=Path, metavar="FILE", help="the certificate to show to a server that asks, as PEM"
    )
    parser.add_argument("--tls-key", type=Path, metavar="FILE", help="its private key, as PEM")


def tls_of(arguments: argparse.Namespace) -> Tls | None:
    """How to connect."""
    if bool(arguments.tls_certificate) != bool(arguments.tls_key):
        raise CommandFailed("--tls-certificate and --tls-key belong together")
    if not (arguments.tls or arguments.tls_ca or arguments.tls_key):
        return None
    for path in (arguments.tls_ca, arguments.tls_certificate, arguments.tls_key):
        if path is not None and not os.access(path, os.R_OK):
            raise CommandFailed(f"can't read {path}")
    return Tls(arguments.tls_ca, arguments.tls_certificate, arguments.tls_key)


async def identified(arguments: argparse.Namespace, say: Callable[[str], None] | None = None) -> tuple[Player, str]:
    """Who calls: known by a remembered token, or new. A server that is not there is noticed soon.

    With `say` it is told if that takes longer than a person likes to wait without a word.
    """
    telling = asyncio.get_running_loop().call_later(
        _SILENCE_SECONDS, say or (lambda _: None), f"Trying to reach the server at {arguments.server} ..."
    )
    try:
        return await _identified(arguments)
    except Unreachable as failure:
        raise CommandFailed(
            f"{failure}: is it running, and are the address (--server) and TLS (--tls, --tls-ca) right?"
        ) from None
    finally:
        telling.cancel()


async def _identified(arguments: argparse.Namespace) -> tuple[Player, str]:
    address, name = arguments.server, arguments.name
    tokens = TokenFile(token_file_of(arguments))
    token = tokens.token(address, name)
    async with Client.connect(address, token, tls_of(arguments), _FIRST_TRY) as client:
        player = None if token is None else await _known(client)
        if player is None:
            player = await client.register(name or os.environ.get("USER") or "Player")
        assert client.token is not None
        tokens.keep(address, player.name, client.token)
        return player, client.token


async def recognised(arguments: argparse.Namespace) -> tuple[Player | None, str | None]:
    """Who calls, if a remembered token tells; nobody is made up for a call that needs no token."""
    token = TokenFile(token_file_of(arguments)).token(arguments.server, arguments.name)
    if token is None:
        return None, None
    async with Client.connect(arguments.server, token, tls_of(arguments), _FIRST_TRY) as client:
        player = await _known(client)
        return player, None if player is None else token


async def _known(client: Client) -> Player | None:
    try:
        return await client.player()
    except Refused as refusal:
        # The server may have been set up anew; then the player is, too.
        if refusal.reason == "TOKEN_INVALID":
            return None
        raise


def token_file_of(arguments: argparse.Namespace) -> Path:
    """Where tokens are remembered: where somebody says, or in the person's own folder for such things."""
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return arguments.token_file or Path(home) / "liarsdice" / "tokens.json"
