"""Routes about players."""

from typing import Any

from litestar import Request, Response, get

from services.archive.paging import PAGE_SIZE_DEFAULT, named_place_of
from services.archive.people import People, Person
from services.archive.refusals import NoSuchPlayer
from services.http.answers import PeoplePage
from services.http.library import Shelf, Who
from services.http.parameters import Listing, NamePrefix, PageSize, PageToken, PlayerId, checked_name, link_to_next
from services.http.responses import LINKED, answered, failures, page_of

_TAGS = ["players"]


@get(
    "/players",
    operation_id="listPlayers",
    summary="Find players",
    tags=_TAGS,
    responses=failures(),
    response_headers=LINKED,
)
async def players(
    *,
    request: "Request[Any, Any, Any]",
    library: Shelf,
    reader: Who,
    name: NamePrefix = "",
    page_size: PageSize = PAGE_SIZE_DEFAULT,
    page_token: PageToken = None,
) -> Response[PeoplePage]:
    """Players who have played at a public table and have a name with this beginning, in the order of their names."""
    listing = Listing("players", name)
    place = listing.place(page_token)
    after = named_place_of(place) if place else None
    found = await People(library.archive.pool).named(checked_name(name), page_size + 1, after)
    page, more = page_of(found, page_size)
    token = listing.token(page[-1].name.lower(), page[-1].player_id) if more else None
    links = link_to_next(request, page_token=token) if more else {}
    return answered(PeoplePage(page, token), reader, headers=links)


@get(
    "/players/{player_id:str}",
    operation_id="getPlayer",
    summary="A player",
    tags=_TAGS,
    responses=failures(NoSuchPlayer),
)
async def player(player_id: PlayerId, library: Shelf, reader: Who) -> Response[Person]:
    """A player who has played at a public table."""
    return answered(await People(library.archive.pool).find(player_id), reader)


ROUTES = (players, player)
