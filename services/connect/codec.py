"""The two forms of messages: JSON, and the bytes of protobuf."""

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, cast

from google.protobuf.message import Message

from domain.values import Value
from services.connect import json_codec
from services.rpc.gate import Answer
from services.rpc.method import checked, parsed

_SHARED_MAX, _SHARED_BYTES_MAX = 256, 8 * 1024
"""Updates go to many watchers in the same bytes, so the newest are kept in the other form too, unless they are large."""


class Codec(Value, frozen=True):
    """A form of messages."""

    name: str
    read: Callable[[bytes, type[Message]], Any]
    """The message in some bytes; refused if they are no such message."""
    written: Callable[[Answer, type[Message]], bytes]
    """An answer in this form."""
    shared: Callable[[bytes, type[Message]], bytes]
    """The same for an answer on a stream, which probably goes to others too."""
    forwarded: Callable[[bytes, type[Message]], bytes]
    """The bytes of protobuf that stand for a request in this form."""


def _proto(answer: Answer, _answer_type: type[Message]) -> bytes:
    return answer if isinstance(answer, bytes) else answer.SerializeToString()


def _as_it_is(raw: bytes, _type: type[Message]) -> bytes:
    return raw


def _read_json(raw: bytes, request_type: type[Message]) -> Any:
    return checked(json_codec.read(raw, request_type))


def _json(answer: Answer, answer_type: type[Message]) -> bytes:
    return json_codec.written(answer_type.FromString(answer) if isinstance(answer, bytes) else answer)


def _shared_json(raw: bytes, answer_type: type[Message]) -> bytes:
    return _json(raw, answer_type) if len(raw) > _SHARED_BYTES_MAX else _kept_json(raw, cast("Hashable", answer_type))


@lru_cache(_SHARED_MAX)
def _kept_json(raw: bytes, answer_type: Any) -> bytes:
    return _json(raw, answer_type)


def _from_json(raw: bytes, request_type: type[Message]) -> bytes:
    forwarded: bytes = json_codec.read(raw, request_type).SerializeToString()
    return forwarded


PROTO = Codec("proto", parsed, _proto, _as_it_is, _as_it_is)
JSON = Codec("json", _read_json, _json, _shared_json, _from_json)
CODECS = {codec.name: codec for codec in (PROTO, JSON)}
