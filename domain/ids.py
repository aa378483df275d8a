"""Ids that follow from who asked for something and how, so that asking again means the same."""

from base64 import b32encode
from hashlib import sha256

_GAME_ID_LENGTH = 16


def new_game_id(*parts: str) -> str:
    """The id of a game."""
    return digest(*parts)[:_GAME_ID_LENGTH]


def digest(*parts: str) -> str:
    """Letters and digits that stand for some texts."""
    text = "\n".join(f"{len(part)}:{part}" for part in parts)
    return b32encode(sha256(text.encode()).digest()).decode().lower().rstrip("=")
