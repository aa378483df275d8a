"""Page tokens of calls: where a page ended, and of which list it was one. The same place in another list means nothing."""

from hashlib import blake2b
from typing import Any

from services.access.refusals import FieldInvalid

_BETWEEN = "."
_DIGEST_LENGTH = 8


def place_in_list(request: Any) -> Any:
    """The request with the bare place in its token, which must have come with the same filters; pages may differ in size."""
    token = request.page_token
    if not token:
        return request
    place, _, of_list = token.rpartition(_BETWEEN)
    if of_list != _list_of(request):
        problem = "must be that of the page before, unchanged and sent with the same filters"
        raise FieldInvalid(field="page_token", problem=problem)
    request.page_token = place
    return request


def token_in_list(place: str, request: Any) -> str:
    """The token for a place in the list that was asked for; none if there is no place to go on from."""
    return f"{place}{_BETWEEN}{_list_of(request)}" if place else ""


def _list_of(request: Any) -> str:
    """What all pages of a list have in common."""
    filters = type(request)()
    filters.CopyFrom(request)
    filters.ClearField("page_token")
    filters.ClearField("page_size")
    return blake2b(filters.SerializeToString(deterministic=True), digest_size=_DIGEST_LENGTH).hexdigest()
