"""Page tokens of requests: the filters of a request are all its fields but those about pages."""

from typing import Any

from services.archive import paging


def place_in_list(request: Any) -> Any:
    """The request with only the place in its token; refused if the token is from a list with other filters."""
    request.page_token = paging.place_in_list(request.page_token, _list_of(request))
    return request


def token_in_list(place: str, request: Any) -> str:
    """The token for a place in the list that a request asks for; empty if there is no next page."""
    return paging.token_in_list(place, _list_of(request))


def _list_of(request: Any) -> bytes:
    """The filters of a request, which all pages of a list have in common."""
    filters = type(request)()
    filters.CopyFrom(request)
    filters.ClearField("page_token")
    filters.ClearField("page_size")
    return bytes(filters.SerializeToString(deterministic=True))
