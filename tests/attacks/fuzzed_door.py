"""Strange requests for the door for browsers: every method over every protocol, in damaged bodies, envelopes and headers."""

import gzip
import json
from base64 import b64encode
from random import Random
from typing import Any

from google.protobuf.json_format import MessageToDict, SerializeToJsonError
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from tests.attacks.fuzzed_calls import SPENT, FuzzedCalls
from tests.attacks.fuzzed_paths import FuzzedPaths
from tests.connect.channels import enveloped
from tests.rpc.servers import METHODS
from tests.rpc.strange_requests import TEXTS, damaged

WEB = ("application/grpc-web", "application/grpc-web-text", "application/grpc-web+json")
KINDS = {
    False: (*("application/json", "application/proto") * 4, *WEB, "application/connect+json", "application/grpc", ""),
    True: (*("application/connect+json", "application/connect+proto") * 4, *WEB, "application/json", "a"),
}
"""Content types for methods without and with a stream of answers, most of which fit."""
HEADERS = (
    *(
        "content-encoding",
        "connect-content-encoding",
        "grpc-encoding",
        "connect-protocol-version",
        "connect-timeout-ms",
    ),
    *("grpc-timeout", "accept-encoding", "origin", "x-grpc-web", "te"),
)
VALUES = ("gzip", "identity", "br", "1", "2", "", "99999999999", "60000", "99S", "1n", "*", "a" * 500)
_NEVER = ("connect-timeout-ms: 1\r\n", "grpc-timeout: 1n\r\n")
"""A deadline that has passed is answered with 504, and that is no fault of the server."""


class FuzzedDoor(FuzzedPaths):
    """Makes one strange request after the other."""

    def __init__(self, address: str, chance: Random, calls: FuzzedCalls) -> None:
        """`calls` makes the requests, before they are written in the form of a protocol."""
        super().__init__(address, chance, {"paths": {}}, (), ())
        self._calls = calls

    async def one(self) -> tuple[str, str, bytes]:
        """Make a request; returns its method, its status and its bytes."""
        method = self._chance.choice([name for name in METHODS if name not in SPENT])
        raw = self._request(method)
        return f"door: {method}", await self._answer_to(raw), raw

    def _request(self, method: str) -> bytes:
        streamed = METHODS[method][1].server_streaming
        kind, body = self._chance.choice(KINDS[streamed]), self._calls.raw(method)
        if "json" in kind:
            body = self._as_json(method, body)
        lines = self._lines()
        if any("encoding: gzip" in line for line in lines) and self._chance.random() < 0.7:
            body = gzip.compress(body)
        if "connect+" in kind or "grpc" in kind:
            body = b"".join(enveloped(body, self._chance.choice((0,) * 9 + (1, 2, 255))) for _ in range(self._many()))
        if kind.startswith("application/grpc-web-text"):
            body = b64encode(body)
        if self._chance.random() < 0.1:
            body = damaged(body, self._chance)
        verb = self._chance.choice(("POST",) * 30 + ("GET", "PUT", "HEAD", "OPTIONS"))
        head = (f"{verb} {METHODS[method][0]} HTTP/1.1", "host: a", f"content-type: {kind}", *lines)
        return "\r\n".join((*head, f"content-length: {len(body)}", "", "")).encode() + body

    def _many(self) -> int:
        return self._chance.choice((1,) * 12 + (0, 2, 5))

    def _as_json(self, method: str, raw: bytes) -> bytes:
        try:
            message = GetMessageClass(METHODS[method][1].input_type).FromString(raw)
            told: dict[str, Any] = MessageToDict(message, preserving_proto_field_name=self._chance.random() < 0.3)
        except (DecodeError, SerializeToJsonError, UnicodeError, ValueError):
            return raw
        if self._chance.random() < 0.2:
            told[self._chance.choice((*told, "a", ""))] = self._chance.choice((None, [], {}, 1.5, "a", True, [[]]))
        return json.dumps(told).encode()

    def _lines(self) -> list[str]:
        """The headers: the token of some caller, and others with values that may be senseless."""
        lines = [
            f"{name}: {value}"
            for name, value in self._calls.metadata("")
            if isinstance(value, str) and name != "user-agent" and "\n" not in value
        ]
        for _ in range(self._chance.choice((0, 0, 1, 3))):
            line = f"{self._chance.choice(HEADERS)}: {self._chance.choice((*VALUES, self._text()))}"
            lines += [line] if f"{line}\r\n" not in _NEVER else []
        return lines

    def _text(self) -> str:
        return "".join(one for one in self._chance.choice(TEXTS) if " " < one < "\x7f")[:200]
