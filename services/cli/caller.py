"""The person who calls a server: known by a remembered token, or new."""

import argparse
import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.failure import CommandFailed
from services.cli.flags.of_clients import tls_of
from services.client import Client, FalseServer, Patience, Player, Refused, TokenFile, Unreachable

_FIRST_TRY = Patience(total_seconds=3.0)
_SILENCE_SECONDS = 0.5


@contextmanager
def failures_in_a_sentence() -> Iterator[None]:
    """Let a command fail with one sentence if the server refuses a call, does not answer or is false."""
    try:
        yield
    except (Refused, Unreachable, FalseServer) as failure:
        raise CommandFailed(str(failure)) from None


async def identified(arguments: argparse.Namespace, say: Callable[[str], None] | None = None) -> tuple[Player, str]:
    """The player who calls, and the token; a new player is registered. A server that is away is noticed soon.

    `say` gets a sentence if this takes longer than half a second.
    """
    waiting = asyncio.get_running_loop().call_later(
        _SILENCE_SECONDS, say or (lambda _: None), f"Trying to reach the server at {arguments.server} ..."
    )
    try:
        return await _identified(arguments)
    except Unreachable as failure:
        raise CommandFailed(
            f"{failure}: is it running, and are the address (--server) and TLS (--tls, --tls-ca) right?"
        ) from None
    finally:
        waiting.cancel()


async def recognised(arguments: argparse.Namespace) -> tuple[Player | None, str | None]:
    """The player who calls, and the token, if there is one; for calls that need none nobody is registered."""
    token = TokenFile(token_file_of(arguments)).token(arguments.server, arguments.name)
    if token is None:
        return None, None
    async with Client.connect(arguments.server, token, tls_of(arguments), _FIRST_TRY) as client:
        player = await _known_player(client)
        return player, None if player is None else token


def token_file_of(arguments: argparse.Namespace) -> Path:
    """The file of tokens: the one that the flag names, or the one in the person's own configuration."""
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return arguments.token_file or Path(home) / "liarsdice" / "tokens.json"


async def _identified(arguments: argparse.Namespace) -> tuple[Player, str]:
    address, name = arguments.server, arguments.name
    tokens = TokenFile(token_file_of(arguments))
    token = tokens.token(address, name)
    async with Client.connect(address, token, tls_of(arguments), _FIRST_TRY) as client:
        player = None if token is None else await _known_player(client)
        if player is None:
            player = await client.register(name or os.environ.get("USER") or "Player")
        assert client.token is not None
        tokens.keep(address, player.name, client.token)
        return player, client.token


async def _known_player(client: Client) -> Player | None:
    """The player of a token; None if the server does not know it any more."""
    try:
        return await client.player()
    except Refused as refusal:
        # The server may have been set up anew, and has forgotten everybody.
        if refusal.reason == "TOKEN_INVALID":
            return None
        raise
