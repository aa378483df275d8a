"""Routes about players."""

from typing import Any

from litestar import Request, Response, get
from msgspec import structs

from services.archive.paging import PAGE_SIZE_DEFAULT, named_place_of
from services.archive.people import People
from services.archive.refusals import NoSuchPlayer
from services.http.answers import PeoplePage, PersonAnswer
from services.http.library import Shelf, Who
from services.http.parameters import Listing, NamePrefix, PageSize, PageToken, PlayerId, checked_name, link_to_next
from services.http.responses import LINKED, answered, failures, in_body, page_of

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
    freshness = await library.watermarks.of("games")
    found = await People(library.archive.pool).named(checked_name(name), page_size + 1, after)
    page, more = page_of(found, page_size)
    token = listing.token(page[-1].name.lower(), page[-1].player_id) if more else None
    links = link_to_next(request, page_token=token) if more else {}
    return answered(PeoplePage(page, token, in_body(freshness)), reader, headers=links, freshness=freshness)


@get(
    "/players/{player_id:str}",
    operation_id="getPlayer",
    summary="A player",
    tags=_TAGS,
    responses=failures(NoSuchPlayer),
)
async def player(player_id: PlayerId, library: Shelf, reader: Who) -> Response[PersonAnswer]:
    """A player who has played at a public table."""
    freshness = await library.watermarks.of("games")
    person = await People(library.archive.pool).find(player_id)
    answer = PersonAnswer(**structs.asdict(person), freshness=in_body(freshness))
    return answered(answer, reader, freshness=freshness)


ROUTES = (players, player)
