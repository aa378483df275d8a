"""Answers with what caches need to know, and what the schema says about failures."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from litestar import Response
from litestar.enums import MediaType
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, OpenAPIType, Operation, Schema

from services.http.admission import Reader
from services.http.problems import MEDIA_TYPE, Problem

FINAL_SECONDS = 86_400
"""How long a cache may keep what will not change: a day, because a new version of the program may add to it."""
STATIC_SECONDS = 3_600

_MEANINGS = {
    HTTPStatus.NOT_MODIFIED: "It is what you have.",
    HTTPStatus.BAD_REQUEST: "The request makes no sense.",
    HTTPStatus.UNAUTHORIZED: "The token is not known, revoked or expired.",
    HTTPStatus.FORBIDDEN: "The game is private, and you have nothing to do with it.",
    HTTPStatus.NOT_FOUND: "There is no such thing.",
    HTTPStatus.CONFLICT: "The game does not stand as it would have to.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too fast; wait as long as Retry-After says.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "A fault of the server.",
    HTTPStatus.SERVICE_UNAVAILABLE: "The server or its database is away; try again.",
}
_ALWAYS = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
OF_GAME = (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)


def failures(*others: HTTPStatus, is_tagged: bool = True, ends: bool = False) -> dict[int, ResponseSpec]:
    """What the schema says of how a route can fail, and of answers without a body."""
    specs = {status.value: _spec(status) for status in sorted({*_ALWAYS, *others})}
    if is_tagged:
        specs[HTTPStatus.NOT_MODIFIED.value] = ResponseSpec(None, description=_MEANINGS[HTTPStatus.NOT_MODIFIED])
    if ends:
        specs[HTTPStatus.NO_CONTENT.value] = ResponseSpec(None, description="You have seen it to its end.")
    return specs


def alternatives(*media_types: str, instead: bool = False) -> type[Operation]:
    """What the schema says of a route that also, or instead, answers with these kinds of text."""

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
) -> Response[Any]:
    """An answer that caches may keep if it is final, and give to anybody if it is also public."""
    return Response(
        content, media_type=media_type, headers={**(headers or {}), "Cache-Control": _kept(reader, final, public)}
    )


def unvarying(content: Any, **given: Any) -> Response[Any]:
    """An answer that is the same for everybody until the program changes."""
    return Response(content, headers={"Cache-Control": f"public, max-age={STATIC_SECONDS}"}, **given)


def page_of(found: Sequence[Any], size: int) -> tuple[tuple[Any, ...], bool]:
    """A page of what was found by asking for one more than it holds, and whether another one follows."""
    return tuple(found[:size]), len(found) > size


def _kept(reader: Reader | None, final: bool, public: bool) -> str:  # noqa: FBT001 - two facts about one answer
    if final:
        return f"{'public' if public else 'private'}, max-age={FINAL_SECONDS}"
    return "private, no-cache" if reader is not None and reader.token else "no-cache"


def _spec(status: HTTPStatus) -> ResponseSpec:
    return ResponseSpec(Problem, description=_MEANINGS[status], media_type=MEDIA_TYPE)
