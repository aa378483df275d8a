"""How a call fails over Connect and over gRPC-Web: the same statuses and details as over gRPC, in their forms."""

from base64 import b64encode
from http import HTTPStatus
from math import ceil
from typing import Any
from urllib.parse import quote

import msgspec
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc import StatusCode

from domain.values import Value
from services.access.refusals import EncodingUnknown
from services.rpc.method import problem_told
from services.rpc.status import status_of

HTTP_STATUSES: dict[StatusCode, int] = {
    StatusCode.INVALID_ARGUMENT: HTTPStatus.BAD_REQUEST,
    StatusCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    StatusCode.ALREADY_EXISTS: HTTPStatus.CONFLICT,
    StatusCode.FAILED_PRECONDITION: HTTPStatus.BAD_REQUEST,
    StatusCode.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED,
    StatusCode.PERMISSION_DENIED: HTTPStatus.FORBIDDEN,
    StatusCode.ABORTED: HTTPStatus.CONFLICT,
    StatusCode.RESOURCE_EXHAUSTED: HTTPStatus.TOO_MANY_REQUESTS,
    StatusCode.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
    StatusCode.DEADLINE_EXCEEDED: HTTPStatus.GATEWAY_TIMEOUT,
    StatusCode.UNIMPLEMENTED: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    StatusCode.DATA_LOSS: HTTPStatus.INTERNAL_SERVER_ERROR,
    StatusCode.INTERNAL: HTTPStatus.INTERNAL_SERVER_ERROR,
}
"""The protocol's own table for the statuses that there are here. Only `UNIMPLEMENTED` differs: here it means a message that is packed in
an unknown way, and 501 would look like a fault of the server."""
_CODES = {code.value[0]: code for code in StatusCode}
_DETAILS: dict[str, type[Message]] = {
    kind.DESCRIPTOR.full_name: GetMessageClass(kind.DESCRIPTOR) for kind in (ErrorInfo, BadRequest, RetryInfo)
}
_SAFE = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")


class Failure(Value, frozen=True):
    """Why a call failed."""

    code: StatusCode
    status: Status
    retry_seconds: float | None = None

    @property
    def http_status(self) -> int:
        """The HTTP status of a failed call with one answer."""
        return HTTP_STATUSES[self.code]

    @property
    def http_headers(self) -> dict[str, str]:
        """What a client that knows only HTTP looks for."""
        if self.code is StatusCode.UNAUTHENTICATED:
            return {"WWW-Authenticate": 'Bearer realm="liarsdice"'}
        if self.retry_seconds is not None:
            return {"Retry-After": str(ceil(self.retry_seconds))}
        return {}

    def as_connect(self) -> dict[str, Any]:
        """The failure as Connect writes it in JSON, with each detail also in a form that people can read."""
        return {
            "code": self.code.name.lower(),
            "message": self.status.message,
            "details": [_detail(packed) for packed in self.status.details],
        }

    def as_trailers(self) -> bytes:
        """The failure as gRPC-Web writes it, in lines like those of HTTP's headers."""
        details = b64encode(self.status.SerializeToString()).decode().rstrip("=")
        return trailers(self.status.code, self.status.message, details)


def failure_of(error: Exception, request_type: type[Message] | None) -> Failure:
    """The failure that a caller sees for an error. A fault of the program is logged, and shown without details."""
    problem = problem_told(error)
    status = status_of(problem, request_type)
    if isinstance(error, EncodingUnknown):
        # The protocol asks for this status, and clients look for it.
        status.code = StatusCode.UNIMPLEMENTED.value[0]
    return Failure(_CODES[status.code], status, problem.retry_seconds)


def deadline_exceeded() -> Failure:
    """The failure of a call that took longer than its caller wanted to wait."""
    code = StatusCode.DEADLINE_EXCEEDED
    sentence = "The time that you gave this call is over. A command may have been carried out: send it again with its request id."
    return Failure(code, Status(code=code.value[0], message=sentence))


def trailers(code: int, message: str = "", details: str = "") -> bytes:
    """The trailers of gRPC-Web."""
    lines = [f"grpc-status: {code}"]
    if message:
        lines.append(f"grpc-message: {quote(message, safe=_SAFE)}")
    if details:
        lines.append(f"grpc-status-details-bin: {details}")
    return "".join(f"{line}\r\n" for line in lines).encode()


def connect_end(failure: Failure | None) -> bytes:
    """The content of the last envelope of a stream over Connect."""
    return msgspec.json.encode({} if failure is None else {"error": failure.as_connect()})


def _detail(packed: Any) -> dict[str, Any]:
    name = packed.type_url.rpartition("/")[2]
    found = _DETAILS[name].FromString(packed.value)
    return {
        "type": name,
        "value": b64encode(packed.value).decode().rstrip("="),
        "debug": MessageToDict(found),
    }
