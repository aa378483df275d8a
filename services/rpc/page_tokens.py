"""Page tokens: the place where a page ended, and a digest of its list. A place in another list would mean nothing."""

from hashlib import blake2b
from typing import Any

from services.access.refusals import FieldInvalid

_BETWEEN = "."
_DIGEST_LENGTH = 8


def place_in_list(request: Any) -> Any:
    """The request with only the place in its token; refused if the token is from a list with other filters."""
    token = request.page_token
    if not token:
        return request
    place, _, of_list = token.rpartition(_BETWEEN)
    if of_list != _list_of(request):
        problem = "must be the token of the page before, unchanged and sent with the same filters"
        raise FieldInvalid(field="page_token", problem=problem)
    request.page_token = place
    return request


def token_in_list(place: str, request: Any) -> str:
    """The token for a place in the list that a request asks for; empty if there is no next page."""
    return f"{place}{_BETWEEN}{_list_of(request)}" if place else ""


def _list_of(request: Any) -> str:
    """A digest of the filters of a request, which all pages of a list have in common."""
    filters = type(request)()
    filters.CopyFrom(request)
    filters.ClearField("page_token")
    filters.ClearField("page_size")
    return blake2b(filters.SerializeToString(deterministic=True), digest_size=_DIGEST_LENGTH).hexdigest()
