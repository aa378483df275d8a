"""Ids computed from a request, so that the same request sent again gets the same id."""

import hmac
from base64 import b32encode
from hashlib import sha256

_GAME_ID_LENGTH = 16


def new_game_id(secret: bytes, *parts: str) -> str:
    """The id of a game, made from the parts of the request for it. Nobody can compute it without the secret."""
    return _letters(hmac.digest(secret, _text(parts), "sha256"))[:_GAME_ID_LENGTH]


def digest(*parts: str) -> str:
    """A hash of some texts, as letters and digits."""
    return _letters(sha256(_text(parts)).digest())


def _text(parts: tuple[str, ...]) -> bytes:
    # The lengths keep ("ab", "c") and ("a", "bc") apart.
    return "\n".join(f"{len(part)}:{part}" for part in parts).encode()


def _letters(content: bytes) -> str:
    return b32encode(content).decode().lower().rstrip("=")
