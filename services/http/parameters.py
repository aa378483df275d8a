"""The parameters of requests, as the schema describes them, and the values that they stand for."""

import re
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

import msgspec
from litestar import Request
from litestar.params import HeaderParameter, PathParameter, QueryParameter

from domain.deciding.gathering import book_called
from domain.naming import NAME_LENGTH_MAX
from domain.rulebooks import BOOKS
from domain.statistics.answers import DecisionsWanted, Order, Played, Span
from domain.statistics.decisions import Action, Phase
from services.access.refusals import FieldInvalid
from services.archive.archive import Wanted
from services.archive.bounds import (
    DICE_LEFT_MAX,
    LEFT_MIN,
    PLAYERS_LEFT_MAX,
    SPEED_MAX,
    SPEED_MIN,
    WAIT_SECONDS_MAX,
    check_decisions,
    check_times,
)
from services.archive.listing import Outcome
from services.archive.moments import MILLISECONDS_MIN, milliseconds_of
from services.archive.paging import PAGE_SIZE_MAX, place_in_list, token_in_list, token_of
from services.archive.reel import Viewpoint
from services.http.allowed_values import ID_PATTERN

EXAMPLE_GAME, EXAMPLE_PLAYER, EXAMPLE_CLUB = "6f1d0c9e5b8a47d2", "p.7c41e2", "b83e4c1f09d276aa"
RULEBOOK_IDS = tuple(book.id for book in BOOKS)
_SEAT_LAST = max(book.players_max for book in BOOKS) - 1
_VERSION_MAX = 2**31 - 1
_WHEN = "A time: ISO 8601, such as `2026-01-31` or `2026-01-31T18:00:00Z`, or milliseconds since 1970."

GameId = Annotated[str, PathParameter(pattern=ID_PATTERN, description="The id of a game.")]
PlayerId = Annotated[str, PathParameter(pattern=ID_PATTERN, description="The id of a player.")]
RoundNumber = Annotated[int, PathParameter(ge=1, le=_VERSION_MAX, description="The number of a round, from 1 on.")]
PageSize = Annotated[int, QueryParameter(ge=1, le=PAGE_SIZE_MAX, description="How many entries the page has at most.")]
PageToken = Annotated[
    str | None, QueryParameter(description="The `next_page_token` of the page before; the filters have to be the same.")
]
Seat = Annotated[
    int | None,
    QueryParameter(
        ge=0,
        le=_SEAT_LAST,
        description="Show what this seat saw; without it, what a spectator saw.",
        schema_extra={"minimum": 0},  # Litestar forgets a limit of 0 where the parameter may be left out.
    ),
]
Everything = Annotated[bool, QueryParameter(description="Show also the dice under all cups that were lifted later.")]
Speed = Annotated[
    float,
    QueryParameter(ge=SPEED_MIN, le=SPEED_MAX, description="The speed; 2 is twice as fast as the game was played."),
]
Wait = Annotated[
    float, QueryParameter(ge=0, le=WAIT_SECONDS_MAX, description="The longest time between two steps, in seconds.")
]
IncludeView = Annotated[bool, QueryParameter(name="view", description="Send with each step the game after it.")]
LastEventId = Annotated[
    int | None,
    HeaderParameter(
        name="Last-Event-ID",
        ge=0,
        le=_VERSION_MAX,
        description="Go on after this step, as an EventSource does.",
        schema_extra={"minimum": 0},
    ),
]
NamePrefix = Annotated[
    str,
    QueryParameter(
        name="name", max_length=NAME_LENGTH_MAX, description="The beginning of the name, in upper or lower case."
    ),
]
Practice = Literal["without", "with", "only"]
PlayerWanted = Annotated[
    str | None, QueryParameter(pattern=ID_PATTERN, description="Only games of the player with this id.")
]
RulebookWanted = Annotated[
    str | None, QueryParameter(description="Only games of this rulebook.", schema_extra={"enum": list(RULEBOOK_IDS)})
]
ResultWanted = Annotated[Outcome | None, QueryParameter(description="Only games with this result.")]
Over = Literal["ended", "abandoned"]
OverWanted = Annotated[Over | None, QueryParameter(description="Only games with this result.")]
PracticeWanted = Annotated[Practice, QueryParameter(description="Without practice games, with them, or only them.")]
SetUpSince = Annotated[
    str | None,
    QueryParameter(description=f"Only games with a table that was set up at this time or later. {_WHEN}"),
]
SetUpUntil = Annotated[
    str | None,
    QueryParameter(description=f"Only games with a table that was set up before this time. {_WHEN}"),
]
EndedSince = Annotated[str | None, QueryParameter(description=f"Only games that ended at this time or later. {_WHEN}")]
EndedUntil = Annotated[str | None, QueryParameter(description=f"Only games that ended before this time. {_WHEN}")]

_PRACTICE: dict[Practice, bool | None] = {"without": False, "with": None, "only": True}


async def wanted_of(
    *,
    player: PlayerWanted = None,
    rulebook: RulebookWanted = None,
    result: ResultWanted = None,
    since: SetUpSince = None,
    until: SetUpUntil = None,
    practice: PracticeWanted = "without",
) -> Wanted:
    """The games that a request looks for, by the time at which their tables were set up."""
    from_time, to_time = _times(since, until)
    return Wanted(
        player_id=player,
        rulebook=None if rulebook is None else book_called(rulebook).id,
        result=result,
        since=from_time,
        until=to_time,
        practice=_PRACTICE[practice],
    )


async def over_of(
    *,
    player: PlayerWanted = None,
    rulebook: RulebookWanted = None,
    result: OverWanted = None,
    since: EndedSince = None,
    until: EndedUntil = None,
    practice: PracticeWanted = "without",
) -> Wanted:
    """The finished games that a request looks for, by the time at which they ended."""
    return await wanted_of(player=player, rulebook=rulebook, result=result, since=since, until=until, practice=practice)


async def span_of(
    *,
    rulebook: RulebookWanted = None,
    since: EndedSince = None,
    until: EndedUntil = None,
    played: Annotated[Played, QueryParameter(description="Only games that finished in this way.")] = "ended",
) -> Span:
    """The games that statistics are about."""
    from_time, to_time = _times(since, until)
    return Span(
        rulebook=None if rulebook is None else book_called(rulebook).id,
        since=from_time,
        until=to_time,
        played=played,
    )


async def decisions_of(
    *,
    action: Annotated[Action | None, QueryParameter(description="Only bids, or only challenges.")] = None,
    regret_min: Annotated[float, QueryParameter(ge=0, le=1, description="Only decisions with so much regret.")] = 0.0,
    dice_left: Annotated[
        int | None, QueryParameter(ge=LEFT_MIN, le=DICE_LEFT_MAX, description="With so many dice in play.")
    ] = None,
    players_left: Annotated[
        int | None, QueryParameter(ge=LEFT_MIN, le=PLAYERS_LEFT_MAX, description="With so many players left.")
    ] = None,
    phase: Annotated[Phase | None, QueryParameter(description="Only in this phase of the game.")] = None,
    bluff: Annotated[bool | None, QueryParameter(description="Only bluffs, or only bids that are none.")] = None,
    order: Annotated[Order, QueryParameter(description="The newest first, or those with the most regret.")] = "newest",
) -> DecisionsWanted:
    """The decisions that a request looks for."""
    wanted = DecisionsWanted(
        action=action,
        regret_min=regret_min,
        dice_left=dice_left,
        players_left=players_left,
        phase=phase,
        bluff=bluff,
        order=order,
    )
    check_decisions(wanted)
    return wanted


def viewpoint_of(seat: int | None, *, everything: bool) -> Viewpoint:
    """The viewpoint of a seat, of a spectator, or of somebody who sees everything."""
    if seat is not None and everything:
        raise FieldInvalid(field="seat", problem="can't be given together with everything")
    return Viewpoint(seat, everything)


def link_to_next(request: "Request[Any, Any, Any]", **changes: object) -> dict[str, str]:
    """The `Link` header to the next page: the same request with some parameters changed."""
    asked = {name: value for name, value in request.query_params.items() if name not in changes}
    there = f"{quote(request.url.path)}?{urlencode({**asked, **changes}, doseq=True)}"
    return {"Link": f'<{there}>; rel="next"'}


class Listing:
    """The list that a request goes through page by page: the route, and what it is filtered by."""

    def __init__(self, route: str, *filters: Any) -> None:
        self._filters = msgspec.json.encode((route, *filters))

    def place(self, token: str | None) -> str:
        """The place in a token of this list; empty for the beginning. A token of another list is refused."""
        return place_in_list(token or "", self._filters)

    def token(self, *place: Any) -> str:
        """The token for a place in this list."""
        return self.bound(token_of(*place))

    def bound(self, place: str) -> str:
        """The token for a place that is a text already; empty for the end."""
        return token_in_list(place, self._filters)


def checked_name(beginning: str) -> str:
    """The beginning of a name; refused if no player can have such a name."""
    if not re.sub("\u200d", "", beginning).isprintable():
        raise FieldInvalid(field="name", problem="must be printable")
    return beginning


def _times(since: str | None, until: str | None) -> tuple[int | None, int | None]:
    """Two times; refused if nothing can be in between."""
    range_of_times = _time("since", since), _time("until", until)
    check_times(*range_of_times, "until")
    return range_of_times


def _time(field: str, text: str | None) -> int | None:
    if text is None:
        return None
    at = milliseconds_of(text)
    if at is None:  # An unencoded plus, as before a time zone, arrives as a blank.
        at = milliseconds_of("+".join(text.rsplit(" ", 1)))
    if at is None:
        raise FieldInvalid(
            field=field,
            problem="must be a time from 1970 on, either as ISO 8601, such as 2026-01-31, or as at least"
            f" {MILLISECONDS_MIN} milliseconds since 1970",
        )
    return at
