"""What a game, a player, a reason and a request may be called."""

import re

NAME_LENGTH_MAX = 40
REASON_LENGTH_MAX = 200
REQUEST_ID_LENGTH_MAX = 200

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_JOINED_PICTURES = re.compile(r"(?<=[^\w\s])\u200d(?=[^\w\s])")
"""The invisible joiner of emoji such as a pirate flag; between letters it would only serve to imitate a name."""


def is_id(text: str) -> bool:
    """Whether a text can be the id of a game or a player."""
    return _ID.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether a text can be the name of a player."""
    return 0 < len(text) <= NAME_LENGTH_MAX and _is_visible(text) and text == text.strip()


def is_reason(text: str) -> bool:
    """Whether a text can be the reason for ending a game."""
    return 0 < len(text) <= REASON_LENGTH_MAX and _is_visible(text)


def is_request_id(text: str) -> bool:
    """Whether a text can be the id of a request."""
    return 0 < len(text) <= REQUEST_ID_LENGTH_MAX and text.isprintable()


def _is_visible(text: str) -> bool:
    return _JOINED_PICTURES.sub("", text).isprintable()
