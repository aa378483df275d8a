"""Lists in pages: how many at once, and the tokens that say where a page ended."""

from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from domain.naming import is_id
from services.hosting.refusals import FieldInvalid

PAGE_SIZE_DEFAULT = 20
PAGE_SIZE_MAX = 100
_AT_END = 2**63


def page_size_of(asked: int, most: int = PAGE_SIZE_MAX, usual: int = PAGE_SIZE_DEFAULT) -> int:
    """How many are wanted at once."""
    if not 0 <= asked <= most:
        raise FieldInvalid(field="page_size", problem=f"must be 1 to {most}")
    return asked or usual


def token_of(at: int, game_id: str) -> str:
    """A token for a place in a list that is ordered by time and game."""
    return urlsafe_b64encode(msgspec.json.encode((at, game_id))).decode()


def place_of(token: str, field: str = "page_token") -> tuple[int, str]:
    """The place that a token stands for."""
    try:
        at, game_id = msgspec.json.decode(urlsafe_b64decode(token), type=tuple[int, str])
    except (ValueError, msgspec.MsgspecError):
        raise FieldInvalid(field=field, problem="must be a token that came before, unchanged") from None
    if not 0 <= at < _AT_END or not is_id(game_id):
        raise FieldInvalid(field=field, problem="must be a token that came before, unchanged")
    return at, game_id
