"""Routes about players."""

from typing import Any

from litestar import Request, Response, get
from msgspec import structs

from services.archive.paging import PAGE_SIZE_DEFAULT, named_place_of
from services.archive.people import People, unless_behind
from services.http.answers import PeoplePage, PersonAnswer
from services.http.library import Seen, Shelf, Who
from services.http.parameters import Listing, NamePrefix, PageSize, PageToken, PlayerId, checked_name, link_to_next
from services.http.responses import LINKED, OF_PLAYER, answered, failures, in_body, page_of

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
    sight: Seen,
    name: NamePrefix = "",
    page_size: PageSize = PAGE_SIZE_DEFAULT,
    page_token: PageToken = None,
) -> Response[PeoplePage]:
    """Players of public games that have ended whose names begin so, in the order of their names."""
    listing = Listing("players", name)
    place = listing.place(page_token)
    after = named_place_of(place) if place else None
    freshness = await library.watermarks.of("statistics")
    found = await People(library.archive.pool).named(checked_name(name), sight, page_size + 1, after)
    page, more = page_of(found, page_size)
    token = listing.token(page[-1].name, page[-1].player_id) if more else None
    links = link_to_next(request, page_token=token) if more else {}
    return answered(PeoplePage(page, token, in_body(freshness)), reader, headers=links, freshness=freshness)


@get(
    "/players/{player_id:str}",
    operation_id="getPlayer",
    summary="A player",
    tags=_TAGS,
    responses=failures(*OF_PLAYER),
)
async def player(player_id: PlayerId, library: Shelf, reader: Who, sight: Seen) -> Response[PersonAnswer]:
    """A player whom everybody may know from a public game that has ended, or you.

    All bots of the server with one strategy are one player, such as `bot.cautious`; the id of a bot's seat stands for it.
    """
    freshness = await library.watermarks.of("statistics")
    with unless_behind(freshness):
        person = await People(library.archive.pool).find(player_id, sight)
    answer = PersonAnswer(**structs.asdict(person), freshness=in_body(freshness))
    return answered(answer, reader, freshness=freshness)


ROUTES = (players, player)
