"""What requests say: parameters as the schema describes them, and what they mean."""

import re
from typing import Annotated, Any, Literal
from urllib.parse import quote, urlencode

from litestar import Request
from litestar.params import HeaderParameter, PathParameter, QueryParameter

from domain.deciding.gathering import book_called
from domain.naming import NAME_LENGTH_MAX
from domain.statistics.answers import Played, Span
from services.access.refusals import FieldInvalid
from services.archive.archive import Wanted
from services.archive.bounds import SPEED_MAX, SPEED_MIN, WAIT_SECONDS_MAX
from services.archive.listing import Outcome
from services.archive.moments import MILLISECONDS_MIN, milliseconds_of
from services.archive.paging import PAGE_SIZE_MAX
from services.archive.reel import Viewpoint

ID_PATTERN = r"^[A-Za-z0-9._-]{1,64}$"
_VERSION_MAX = 2**31 - 1
_WHEN = "A time: ISO 8601, such as `2026-01-31` or `2026-01-31T18:00:00Z`, or milliseconds since 1970."

GameId = Annotated[str, PathParameter(pattern=ID_PATTERN, description="The id of a game.")]
PlayerId = Annotated[str, PathParameter(pattern=ID_PATTERN, description="The id of a player.")]
RoundNumber = Annotated[int, PathParameter(ge=1, le=_VERSION_MAX, description="The number of a round, from 1 on.")]
PageSize = Annotated[int, QueryParameter(ge=1, le=PAGE_SIZE_MAX, description="How many at once.")]
PageToken = Annotated[
    str | None, QueryParameter(description="Where to go on: the `next_page_token` of the page before.", max_length=500)
]
Seat = Annotated[
    int | None,
    QueryParameter(ge=0, le=63, description="Look through the eyes of this seat; without it, as a spectator."),
]
Everything = Annotated[bool, QueryParameter(description="Look under all cups that were lifted since.")]
Speed = Annotated[
    float, QueryParameter(ge=SPEED_MIN, le=SPEED_MAX, description="How many times as fast as it was played.")
]
Wait = Annotated[
    float, QueryParameter(ge=0, le=WAIT_SECONDS_MAX, description="How many seconds two steps are apart at most.")
]
IncludeView = Annotated[
    bool, QueryParameter(name="view", description="Send along how the game stands after each step.")
]
LastEventId = Annotated[
    int | None,
    HeaderParameter(
        name="Last-Event-ID", ge=0, le=_VERSION_MAX, description="Go on after this step, as an EventSource does."
    ),
]
NamePrefix = Annotated[
    str,
    QueryParameter(name="name", max_length=NAME_LENGTH_MAX, description="How the name begins; capitals don't matter."),
]
Practice = Literal["without", "with", "only"]
PlayerWanted = Annotated[
    str | None, QueryParameter(pattern=ID_PATTERN, description="Only games of the player with this id.")
]
RulebookWanted = Annotated[str | None, QueryParameter(max_length=64, description="Only games of this rulebook.")]
ResultWanted = Annotated[Outcome | None, QueryParameter(description="Only games that stand like this.")]
PracticeWanted = Annotated[Practice, QueryParameter(description="What about practice games.")]
SetUpSince = Annotated[
    str | None,
    QueryParameter(max_length=40, description=f"Only games whose table was set up then or later. {_WHEN}"),
]
SetUpUntil = Annotated[
    str | None, QueryParameter(max_length=40, description=f"Only games whose table was set up before. {_WHEN}")
]
EndedSince = Annotated[
    str | None, QueryParameter(max_length=40, description=f"Only games that ended then or later. {_WHEN}")
]
EndedUntil = Annotated[str | None, QueryParameter(max_length=40, description=f"Only games that ended before. {_WHEN}")]

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
    """Which games somebody looks for, by when their tables were set up."""
    return Wanted(
        player_id=player,
        rulebook=None if rulebook is None else book_called(rulebook).id,
        result=result,
        since=_time("since", since),
        until=_time("until", until),
        practice=_PRACTICE[practice],
    )


async def over_of(
    *,
    player: PlayerWanted = None,
    rulebook: RulebookWanted = None,
    result: ResultWanted = None,
    since: EndedSince = None,
    until: EndedUntil = None,
    practice: PracticeWanted = "without",
) -> Wanted:
    """Which games that are over somebody looks for, by when they ended."""
    return await wanted_of(player=player, rulebook=rulebook, result=result, since=since, until=until, practice=practice)


async def span_of(
    *,
    rulebook: RulebookWanted = None,
    since: EndedSince = None,
    until: EndedUntil = None,
    played: Annotated[Played, QueryParameter(description="Only games that came to their end like this.")] = "ended",
) -> Span:
    """Over which games somebody wants numbers."""
    return Span(
        rulebook=None if rulebook is None else book_called(rulebook).id,
        since=_time("since", since),
        until=_time("until", until),
        played=played,
    )


def viewpoint_of(seat: int | None, *, everything: bool) -> Viewpoint:
    """Through whose eyes somebody looks."""
    if seat is not None and everything:
        raise FieldInvalid(field="seat", problem="can't be given together with everything")
    return Viewpoint(seat, everything)


def link_to_next(request: "Request[Any, Any, Any]", **changes: object) -> dict[str, str]:
    """The header that leads to the next page: the same request with something changed."""
    asked = {name: value for name, value in request.query_params.items() if name not in changes}
    there = f"{quote(request.url.path)}?{urlencode({**asked, **changes}, doseq=True)}"
    return {"Link": f'<{there}>; rel="next"'}


def checked_name(beginning: str) -> str:
    """The beginning of a name that a player can have."""
    if not re.sub("\u200d", "", beginning).isprintable():
        raise FieldInvalid(field="name", problem="must be printable")
    return beginning


def _time(field: str, text: str | None) -> int | None:
    if text is None:
        return None
    # An unencoded plus, as in a time zone, arrives as a blank.
    at = milliseconds_of(text.replace(" ", "+"))
    if at is None:
        raise FieldInvalid(
            field=field,
            problem="must be a time from 1970 on, by ISO 8601, such as 2026-01-31, or in milliseconds since 1970, of which there"
            f" are {MILLISECONDS_MIN} at least",
        )
    return at
