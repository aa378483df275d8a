"""Lists in pages: the size of a page, and the tokens that say where a page ended.

A token holds a place and a digest of the list that it is a place in. A place in another list would mean nothing.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec

from domain.naming import is_id
from services.access.refusals import FieldInvalid

PAGE_SIZE_DEFAULT = 20
PAGE_SIZE_MAX = 100
_AT_END = 2**63
_BETWEEN = "."
_DIGEST_LENGTH = 8
Decoded = TypeVar("Decoded", bound=tuple[Any, ...])


def page_size_of(asked: int, most: int = PAGE_SIZE_MAX, usual: int = PAGE_SIZE_DEFAULT) -> int:
    """The number of entries on a page; 0 means the usual number."""
    if not 0 <= asked <= most:
        raise FieldInvalid(field="page_size", problem=f"must be 1 to {most}")
    return asked or usual


def token_of(first: int | str, last: str) -> str:
    """The token of a place in a list ordered by time and game, or by name and player."""
    return urlsafe_b64encode(msgspec.json.encode((first, last))).decode()


def place_of(token: str, field: str = "page_token") -> tuple[int, str]:
    """The place of a token, by time and game."""
    at, game_id = _decoded(token, field, tuple[int, str])
    if not 0 <= at < _AT_END:
        raise _changed(field)
    return at, game_id


def named_place_of(token: str, field: str = "page_token") -> tuple[str, str]:
    """The place of a token, by name and player."""
    name, player_id = _decoded(token, field, tuple[str, str])
    if not name.isprintable():
        raise _changed(field)
    return name, player_id


def token_in_list(place: str, of_list: bytes) -> str:
    """The token for a place in a list; empty if there is no next page. `of_list` are the list's filters as bytes."""
    return f"{place}{_BETWEEN}{_digest(of_list)}" if place else ""


def place_in_list(token: str, of_list: bytes, field: str = "page_token") -> str:
    """The place in a token; empty for the beginning. Refused if the token is from a list with other filters."""
    place, _, digest = token.rpartition(_BETWEEN)
    if token and digest != _digest(of_list):
        problem = "must be the token of the page before, unchanged and sent with the same filters"
        raise FieldInvalid(field=field, problem=problem)
    return place


def _digest(of_list: bytes) -> str:
    return blake2b(of_list, digest_size=_DIGEST_LENGTH).hexdigest()


def _decoded(token: str, field: str, kind: type[Decoded]) -> Decoded:
    try:
        place: Decoded = msgspec.json.decode(urlsafe_b64decode(token), type=kind)
    except (ValueError, msgspec.MsgspecError):
        raise _changed(field) from None
    if not is_id(str(place[-1])):
        raise _changed(field)
    return place


def _changed(field: str) -> FieldInvalid:
    return FieldInvalid(field=field, problem="must be a token from an earlier answer, unchanged")
