"""One request over HTTP: what its head says, and its body, of which no more is read than a call may have."""

import re
from typing import Any

from litestar.datastructures import Headers

from domain.refusals import Malformed
from services.access.identity import bearer_of
from services.access.refusals import MessageTooLarge
from services.http.delivery import Receive
from services.http.paced import address_of
from services.rpc.server import MESSAGE_BYTES_MAX

_MILLISECONDS = re.compile(r"[0-9]{1,10}")
_GRPC_TIMEOUT = re.compile(r"([0-9]{1,8})([HMSmun])")
_UNIT_SECONDS = {"H": 3_600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}
_VERSION = "1"


class Gone(Exception):  # noqa: N818 - nobody is left to tell
    """The client hung up before its request was there."""


class Request:
    """The head of a request, and a way to its body."""

    def __init__(self, scope: Any, receive: Receive) -> None:
        self._scope, self.receive = scope, receive
        self.headers = Headers.from_scope(scope)
        self.method: str = scope["method"]
        self.query: bytes = scope.get("query_string", b"")
        self.address = address_of(scope)
        self.token = bearer_of(self.headers.get("authorization", ""))
        self.content_type = self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def body(self, bytes_max: int = MESSAGE_BYTES_MAX) -> bytes:
        """The whole body; refused if it is larger than this."""
        length = self.headers.get("content-length", "")
        if length.isdecimal() and int(length) > bytes_max:
            raise MessageTooLarge(limit=bytes_max)
        parts, size = [], 0
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise Gone
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > bytes_max:
                raise MessageTooLarge(limit=bytes_max)
            if not message.get("more_body", False):
                return b"".join(parts)

    async def gone(self) -> None:
        """Return when the client has hung up; the body must have been read."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    def check_version(self) -> None:
        """Refuse a version of the Connect protocol that there is not."""
        if self.headers.get("connect-protocol-version", _VERSION) != _VERSION:
            raise Malformed(what="request", problem=f"connect-protocol-version must be {_VERSION}")

    def connect_seconds(self) -> float | None:
        """How long a caller over Connect wants to wait; None for as long as it takes."""
        text = self.headers.get("connect-timeout-ms")
        if text is None:
            return None
        if not _MILLISECONDS.fullmatch(text):
            raise Malformed(what="request", problem="connect-timeout-ms must be a number of at most ten digits")
        return int(text) / 1_000

    def grpc_seconds(self) -> float | None:
        """How long a caller over gRPC-Web wants to wait; None for as long as it takes."""
        text = self.headers.get("grpc-timeout")
        if text is None:
            return None
        found = _GRPC_TIMEOUT.fullmatch(text)
        if found is None:
            raise Malformed(what="request", problem="grpc-timeout must be a number of at most eight digits and a unit")
        return int(found[1]) * _UNIT_SECONDS[found[2]]
