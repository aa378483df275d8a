"""Answers with their headers for caches, and the failures that the schema describes."""

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
"""A cache may keep a final answer for a day, and not for ever: a new version of the program may add to it."""
STATIC_SECONDS = 3_600

_MEANINGS = {
    HTTPStatus.NOT_MODIFIED: "You have the current answer already.",
    HTTPStatus.BAD_REQUEST: "The request makes no sense.",
    HTTPStatus.UNAUTHORIZED: "The token is missing, unknown, revoked or expired.",
    HTTPStatus.FORBIDDEN: "The game is private, and you may not see it.",
    HTTPStatus.NOT_FOUND: "There is no such thing.",
    HTTPStatus.CONFLICT: "The game is not in the state that this request needs.",
    HTTPStatus.TOO_MANY_REQUESTS: "You ask too fast; wait as long as Retry-After says.",
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
    """What the schema says about the failures of a route and about its answers without a body."""
    specs = {status.value: _spec(status) for status in sorted({*_ALWAYS, *others})}
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
) -> Response[Any]:
    """An answer. A cache may keep it if it is final, and give it to everybody if it is also public."""
    return Response(
        content,
        media_type=media_type,
        headers={**(headers or {}), "Cache-Control": _cache_control(reader, final, public)},
    )


def unvarying(content: Any, **given: Any) -> Response[Any]:
    """An answer that stays the same for everybody until the program changes."""
    return Response(content, headers={"Cache-Control": f"public, max-age={STATIC_SECONDS}"}, **given)


def page_of(found: Sequence[Any], size: int) -> tuple[tuple[Any, ...], bool]:
    """The page, and whether another one follows. The caller has asked for one entry more than the page holds."""
    return tuple(found[:size]), len(found) > size


def _cache_control(reader: Reader | None, final: bool, public: bool) -> str:  # noqa: FBT001 - facts of one answer
    if final:
        return f"{'public' if public else 'private'}, max-age={FINAL_SECONDS}"
    return "private, no-cache" if reader is not None and reader.token else "no-cache"


def _spec(status: HTTPStatus) -> ResponseSpec:
    return ResponseSpec(Problem, description=_MEANINGS[status], media_type=MEDIA_TYPE)
