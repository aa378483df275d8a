"""Ids computed from a request, so that the same request sent again gets the same id."""

from base64 import b32encode
from hashlib import sha256

_GAME_ID_LENGTH = 16


def new_game_id(*parts: str) -> str:
    """The id of a game, made from the parts of the request for it."""
    return digest(*parts)[:_GAME_ID_LENGTH]


def digest(*parts: str) -> str:
    """A hash of some texts, as letters and digits."""
    # The lengths keep ("ab", "c") and ("a", "bc") apart.
    text = "\n".join(f"{len(part)}:{part}" for part in parts)
    return b32encode(sha256(text.encode()).digest()).decode().lower().rstrip("=")
