"""Turns failures into answers of the type `application/problem+json` (RFC 9457).

The reasons come from `services.reasons`; the table `STATUSES` gives each kind of reason an HTTP status.
"""

import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from math import ceil
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.typing import FieldDefinition

from domain.refusals import Refusal
from domain.values import Value
from services.access.refusals import FieldInvalid
from services.http.allowed_values import allowed_values, declared_parameters
from services.reasons import problem as reasons
from services.reasons.kinds import Kind

MEDIA_TYPE = "application/problem+json"
UNAVAILABLE_RETRY_SECONDS = 1.0
_LOG = logging.getLogger(__name__)

STATUSES: dict[Kind, HTTPStatus] = {
    Kind.SENSELESS: HTTPStatus.BAD_REQUEST,
    Kind.UNKNOWN_CALLER: HTTPStatus.UNAUTHORIZED,
    Kind.NOT_ALLOWED: HTTPStatus.FORBIDDEN,
    Kind.NOT_THERE: HTTPStatus.NOT_FOUND,
    Kind.ALREADY_THERE: HTTPStatus.CONFLICT,
    Kind.NOT_NOW: HTTPStatus.CONFLICT,
    Kind.MOVED_ON: HTTPStatus.CONFLICT,
    Kind.TOO_MUCH: HTTPStatus.TOO_MANY_REQUESTS,
    Kind.AWAY: HTTPStatus.SERVICE_UNAVAILABLE,
    Kind.UNREADABLE: HTTPStatus.INTERNAL_SERVER_ERROR,
    Kind.FAULT: HTTPStatus.INTERNAL_SERVER_ERROR,
}
_CALLED = {"other_id": "other", "span.played": "played"}
"""Parameters that have another name here than in gRPC."""
_MISSING = re.compile(r"Missing required \w+ parameter '([\w-]+)'")
_OF_THE_TRANSPORT = {
    HTTPStatus.NOT_FOUND: ("NO_SUCH_PATH", "There is nothing at this path; /schema describes all paths."),
    HTTPStatus.METHOD_NOT_ALLOWED: ("METHOD_NOT_ALLOWED", "This can only be read: use GET or HEAD."),
}


class Violation(Value, frozen=True):
    """A part of the request that is wrong, and why."""

    field: str
    """The name of the parameter, or of the header."""
    problem: str
    """What is wrong with it, and what it may be."""


class Problem(Value, frozen=True, kw_only=True):
    """Why a request failed (RFC 9457). Programs should look at `reason`, which is never renamed."""

    type: str
    """The reason as a URN: two problems with the same type are of one kind."""
    title: str
    """The status in words."""
    status: int
    """The status of the answer."""
    detail: str
    """A sentence for people; it may change."""
    reason: str
    """The stable name of what was wrong, the same as over gRPC."""
    domain: str = reasons.DOMAIN
    """The service that the reason belongs to."""
    metadata: dict[str, str]
    """Every value that the sentence mentions."""
    violations: tuple[Violation, ...] = ()
    """The parameters that are wrong; empty if the request as a whole is."""


def failure_response(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    """The answer to a request that failed. A fault of the program is logged, and shown without details."""
    if isinstance(error, HTTPException):
        return _answer(_of_the_transport(request, error), dict(error.headers or {}))
    problem = reasons.problem_of(_as_called_here(error))
    if problem is None:
        _LOG.error("a request for %s failed", request.scope.get("path_template", ""), exc_info=error)
        problem = reasons.FAULT
    return _answer(_of_the_service(problem), _headers(problem))


def problem_of_refusal(refusal: Refusal) -> tuple[Problem, dict[str, str]]:
    """The problem that a refusal is, and the headers of the answer."""
    problem = reasons.problem_of(refusal)
    assert problem is not None, "every refusal is a problem"
    return _of_the_service(problem), _headers(problem)


def problem_of_failure(failure: Exception) -> Problem:
    """The problem that a refusal or a failure of the store is, or a fault of the program."""
    return _of_the_service(reasons.problem_of(failure) or reasons.FAULT)


def problem_of_transport(status: HTTPStatus, reason: str, sentence: str) -> Problem:
    """The problem of a client that does not speak HTTP as it should."""
    return Problem(**_kind(reason, status), detail=sentence, metadata={})


async def send_problem(problem: Problem, headers: Mapping[str, str], send: Callable[[Any], Awaitable[None]]) -> None:
    """Answer a request that no route has seen."""
    body = msgspec.json.encode(problem)
    told = {"Content-Type": MEDIA_TYPE, "Content-Length": str(len(body)), "Cache-Control": "no-store", **headers}
    written = [(name.lower().encode(), value.encode()) for name, value in told.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": written})
    await send({"type": "http.response.body", "body": body})


def _as_called_here(error: Exception) -> Exception:
    """The same refusal, with the name that the parameter has in HTTP."""
    if isinstance(error, FieldInvalid) and error.fields["field"] in _CALLED:
        return FieldInvalid(field=_CALLED[error.fields["field"]], problem=error.fields["problem"])
    return error


def _of_the_service(problem: reasons.Problem) -> Problem:
    status = STATUSES[problem.kind]
    return Problem(
        **_kind(problem.reason, status),
        detail=problem.message,
        metadata=problem.metadata,
        violations=_at_fault(problem),
    )


def _at_fault(problem: reasons.Problem) -> tuple[Violation, ...]:
    why = problem.metadata.get("problem", problem.message)
    return tuple(Violation(name, why) for name in problem.fields)


def _of_the_transport(request: Request[Any, Any, Any], error: HTTPException) -> Problem:
    status = HTTPStatus(error.status_code)
    if isinstance(error, ValidationException):
        return _of_fields(_violations(request, error), status)
    reason, sentence = _OF_THE_TRANSPORT.get(status, (status.name, str(error.detail)))
    return problem_of_transport(status, reason, sentence)


def _of_fields(violations: tuple[Violation, ...], status: HTTPStatus) -> Problem:
    """The same problem as that of a `FieldInvalid`, for one or more fields."""
    refusals = [FieldInvalid(field=one.field, problem=one.problem) for one in violations]
    return Problem(
        **_kind(FieldInvalid.code(), status),
        detail=" ".join(map(str, refusals)),
        metadata=refusals[0].shown if len(refusals) == 1 else {},
        violations=violations,
    )


def _violations(request: Request[Any, Any, Any], error: ValidationException) -> tuple[Violation, ...]:
    """The parameters that are wrong, and what they may be."""
    declared = declared_parameters(request.scope["route_handler"])
    missing = _MISSING.match(error.detail)
    names = [missing[1]] if missing else [str(one.get("key")) for one in error.extra or () if isinstance(one, dict)]
    by_field = {field.name: name for name, field in declared.items()}
    called = [by_field.get(name, name) for name in names]
    return tuple(Violation(name, _problem(declared.get(name), is_missing=bool(missing))) for name in called)


def _problem(declared: FieldDefinition | None, *, is_missing: bool) -> str:
    allowed = "is not what it may be" if declared is None else allowed_values(declared)
    return f"is missing; it {allowed}" if is_missing else allowed


def _kind(reason: str, status: HTTPStatus) -> dict[str, Any]:
    return {"type": f"urn:liarsdice:{reason}", "title": status.phrase, "status": status.value, "reason": reason}


def _headers(problem: reasons.Problem) -> dict[str, str]:
    match problem.kind:
        case Kind.UNKNOWN_CALLER:
            return {"WWW-Authenticate": 'Bearer realm="liarsdice"'}
        case Kind.TOO_MUCH | Kind.AWAY:
            return {"Retry-After": str(ceil(problem.retry_seconds or UNAVAILABLE_RETRY_SECONDS))}
        case _:
            return {}


def _answer(problem: Problem, headers: dict[str, str]) -> Response[Problem]:
    return Response(
        problem,
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers={**headers, "Cache-Control": "no-store"},
    )
