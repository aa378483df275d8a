"""Turns problems into gRPC statuses: a status code for each kind of problem, and its details."""

from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc import StatusCode

from services.reasons.kinds import Kind
from services.reasons.problem import DOMAIN, Problem
from services.rpc.request_shape import path_of

DETAILS_KEY = "grpc-status-details-bin"

STATUS_CODES: dict[Kind, StatusCode] = {
    Kind.SENSELESS: StatusCode.INVALID_ARGUMENT,
    Kind.NOT_THERE: StatusCode.NOT_FOUND,
    Kind.ALREADY_THERE: StatusCode.ALREADY_EXISTS,
    Kind.NOT_NOW: StatusCode.FAILED_PRECONDITION,
    Kind.UNKNOWN_CALLER: StatusCode.UNAUTHENTICATED,
    Kind.NOT_ALLOWED: StatusCode.PERMISSION_DENIED,
    Kind.MOVED_ON: StatusCode.ABORTED,
    Kind.TOO_MUCH: StatusCode.RESOURCE_EXHAUSTED,
    Kind.AWAY: StatusCode.UNAVAILABLE,
    Kind.UNREADABLE: StatusCode.DATA_LOSS,
    Kind.FAULT: StatusCode.INTERNAL,
}


def code_of_problem(problem: Problem) -> StatusCode:
    """The status code of a problem."""
    return STATUS_CODES[problem.kind]


def details_of(problem: Problem, request_type: type[Message] | None = None) -> bytes:
    """The status with its details, as bytes for the trailing metadata."""
    return bytes(status_of(problem, request_type).SerializeToString())


def status_of(problem: Problem, request_type: type[Message] | None = None) -> Status:
    """The status with its details. It names fields by their path in the request."""
    packed = [_packed(ErrorInfo(reason=problem.reason, domain=DOMAIN, metadata=problem.metadata))]
    fields = _paths(problem.fields, request_type)
    if fields:
        packed.append(_packed(BadRequest(field_violations=[_violation(problem, field) for field in fields])))
    if problem.retry_seconds is not None:
        whole, rest = divmod(problem.retry_seconds, 1)
        packed.append(_packed(RetryInfo(retry_delay=Duration(seconds=int(whole), nanos=round(rest * 1e9)))))
    return Status(code=code_of_problem(problem).value[0], message=problem.message, details=packed)


def _paths(names: tuple[str, ...], request_type: type[Message] | None) -> tuple[str, ...]:
    if request_type is None:
        return names
    return tuple(path for path in (path_of(name, request_type) for name in names) if path is not None)


def _violation(problem: Problem, field: str) -> BadRequest.FieldViolation:
    return BadRequest.FieldViolation(field=field, description=problem.message, reason=problem.reason)


def _packed(message: ErrorInfo | BadRequest | RetryInfo) -> AnyMessage:
    packed = AnyMessage()
    packed.Pack(message)
    return packed
