"""Answers with their headers for caches, and the failures that the schema describes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from string import Formatter
from typing import Any

import msgspec
from litestar import Response
from litestar.datastructures import ResponseHeader
from litestar.enums import MediaType
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, OpenAPIType, Operation, Schema
from litestar.openapi.spec.example import Example

from domain.freshness import CURRENT, Freshness
from domain.refusals import NoSuchGame, NoSuchRulebook, NoSuchSeat
from infra.postgres.failures import StoreUnreachable, StoreUnreadable
from infra.workers.job import WorkerLost
from services.access.refusals import FieldInvalid, GamePrivate, ReadsWaiting, ReadTooMuch, TokenInvalid, TooFast
from services.archive.refusals import NoSuchPlayer, NoSuchStep, PlayerNotKnownYet
from services.http.admission import Reader
from services.http.parameters import EXAMPLE_CLUB, EXAMPLE_GAME, EXAMPLE_PLAYER, RULEBOOK_IDS
from services.http.problems import MEDIA_TYPE, Problem, problem_of_failure
from services.tables.refusals import VersionAhead

LINKED = (
    ResponseHeader(
        name="Link",
        documentation_only=True,
        description='The next page, as `<...>; rel="next"`; not there on the last page.',
    ),
)
FILED = (
    ResponseHeader(
        name="Content-Disposition",
        documentation_only=True,
        required=True,
        description="The name under which a browser saves it.",
    ),
)
"""Headers that some answers have; the schema shows them."""
FINAL_SECONDS = 86_400
"""A cache may keep a final answer for a day, and not for ever: a new version of the program may add to it."""
STATIC_SECONDS = 3_600
COMPLETE, CAUGHT_UP_TO = "Liarsdice-Complete", "Liarsdice-Caught-Up-To"

_MEANINGS = {
    HTTPStatus.NOT_MODIFIED: "You have the current answer already.",
    HTTPStatus.BAD_REQUEST: "The request makes no sense.",
    HTTPStatus.UNAUTHORIZED: "The token is missing, unknown, revoked or expired.",
    HTTPStatus.FORBIDDEN: "The game is private, and you may not see it.",
    HTTPStatus.NOT_FOUND: "There is no such thing.",
    HTTPStatus.CONFLICT: "The game is not in the state that this request needs.",
    HTTPStatus.TOO_MANY_REQUESTS: "You ask too fast, or for too much at once; wait as long as Retry-After says.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "A fault of the server.",
    HTTPStatus.SERVICE_UNAVAILABLE: "The server or its database is away; try again after Retry-After.",
}
_ALWAYS = (
    FieldInvalid,
    NoSuchRulebook,
    TokenInvalid,
    TooFast,
    ReadTooMuch,
    ReadsWaiting,
    StoreUnreachable,
    StoreUnreadable,
    WorkerLost,
)
"""What every request may run into; the schema leaves out the rulebook where no parameter names one."""
OF_GAME = (NoSuchGame, GamePrivate)
OF_PLAYER = (NoSuchPlayer, PlayerNotKnownYet)
OF_STEP = (*OF_GAME, NoSuchStep, NoSuchSeat)
_SAMPLES = {
    "field": "page_size",
    "problem": "must be a whole number from 1 to 100",
    "game_id": EXAMPLE_GAME,
    "player_id": EXAMPLE_PLAYER,
    "club_id": EXAMPLE_CLUB,
    "season": 7,
    "rulebook": "chess",
    "rulebooks": RULEBOOK_IDS,
    "what": "a player",
    "rate": 100,
    "retry_seconds": 0.5,
    "limit": 32,
    "step": 9_999,
    "last": 57,
    "seat": 7,
    "players": 3,
    "round": 4,
    "size": 1_200,
    "old_size": 5,
    "new_size": 2_000,
    "forked_from": "c0ffee00c0ffee00",
    "forked_version": 12,
    "version": 57,
    "after_version": 9_999,
}
"""Values for the sentences of examples."""
_OF_KIND: dict[type[Exception], dict[str, str]] = {
    VersionAhead: {"field": "Last-Event-ID"},
    StoreUnreachable: {"problem": "ConnectionRefusedError"},
    StoreUnreadable: {"problem": "ConnectionRefusedError"},
    WorkerLost: {"problem": "it took too long"},
}


def failures(*others: type[Exception], is_tagged: bool = True, ends: bool = False) -> dict[int, ResponseSpec]:
    """What the schema says about the failures of a route, those of every route and `others`, and about its answers without a body."""
    by_status: dict[int, list[Problem]] = {}
    for kind in (*_ALWAYS, *others):
        problem = problem_of_failure(_sample(kind))
        by_status.setdefault(problem.status, []).append(problem)
    by_status[HTTPStatus.INTERNAL_SERVER_ERROR.value] = [problem_of_failure(AssertionError())]
    specs = {status: _spec(HTTPStatus(status), problems) for status, problems in sorted(by_status.items())}
    if is_tagged:
        specs[HTTPStatus.NOT_MODIFIED.value] = ResponseSpec(None, description=_MEANINGS[HTTPStatus.NOT_MODIFIED])
    if ends:
        specs[HTTPStatus.NO_CONTENT.value] = ResponseSpec(None, description="You have seen everything up to the end.")
    return specs


def alternatives(*media_types: str, instead: bool = False) -> type[Operation]:
    """What the schema says about a route that also answers with these kinds of text, or only with them (`instead`)."""

    @dataclass
    class Alternatives(Operation):
        def __post_init__(self) -> None:
            success = (self.responses or {})[str(HTTPStatus.OK.value)]
            assert isinstance(success, OpenAPIResponse)
            texts = {kind: OpenAPIMediaType(schema=Schema(type=OpenAPIType.STRING)) for kind in media_types}
            success.content = {**({} if instead else success.content or {}), **texts}

    return Alternatives


def answered(
    content: Any,
    reader: Reader | None = None,
    *,
    final: bool = False,
    public: bool = False,
    media_type: str = MediaType.JSON,
    headers: dict[str, str] | None = None,
    freshness: Freshness | None = None,
) -> Response[Any]:
    """An answer. A cache may keep it if it is final, and give it to everybody if it is also public."""
    return Response(
        content,
        media_type=media_type,
        headers={
            **(headers or {}),
            **freshness_headers(freshness),
            "Cache-Control": _cache_control(reader, final, public),
        },
    )


def unvarying(content: Any, **given: Any) -> Response[Any]:
    """An answer that stays the same for everybody until the program changes."""
    return Response(content, headers={"Cache-Control": f"public, max-age={STATIC_SECONDS}"}, **given)


def freshness_headers(freshness: Freshness | None) -> dict[str, str]:
    """The headers that say how fresh an answer is."""
    if freshness is None:
        return {}
    headers = {COMPLETE: "true" if freshness.complete else "false"}
    if freshness.caught_up_to is not None:
        at = datetime.fromtimestamp(freshness.caught_up_to / 1_000, UTC)
        headers[CAUGHT_UP_TO] = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return headers


def in_body(freshness: Freshness) -> Freshness:
    """How fresh an answer is, as its body says it: a complete one leaves the time to the header.

    Otherwise the body, and with it the tag, would change at every moment, and nobody could have the answer already.
    """
    return CURRENT if freshness.complete else freshness


def page_of(found: Sequence[Any], size: int) -> tuple[tuple[Any, ...], bool]:
    """The page, and whether another one follows. The caller has asked for one entry more than the page holds."""
    return tuple(found[:size]), len(found) > size


def _cache_control(reader: Reader | None, final: bool, public: bool) -> str:  # noqa: FBT001 - facts of one answer
    if final:
        return f"{'public' if public else 'private'}, max-age={FINAL_SECONDS}"
    return "private, no-cache" if reader is not None and reader.token else "no-cache"


def _spec(status: HTTPStatus, problems: Sequence[Problem]) -> ResponseSpec:
    """A failure, with an example of each reason."""
    examples = [Example(id=one.reason, summary=one.detail, value=msgspec.to_builtins(one)) for one in problems]
    return ResponseSpec(
        Problem, description=_MEANINGS[status], media_type=MEDIA_TYPE, examples=examples, generate_examples=False
    )


def _sample(kind: type[Exception]) -> Exception:
    """A failure of a kind, with values for all that its sentence mentions."""
    named = [name for _, name, _, _ in Formatter().parse(kind.__doc__ or "") if name]
    samples = _SAMPLES | _OF_KIND.get(kind, {})
    return kind(**{name: samples[name] for name in named})
