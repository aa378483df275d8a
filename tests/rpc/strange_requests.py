"""Requests that no client sends: fields with anything in them, and bytes that were a message once or never were."""

from base64 import urlsafe_b64encode
from json import dumps
from random import Random
from typing import Any

import grpc
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from services.rpc.page_tokens import token_in_list

TEXTS = (
    "",
    "a",
    "🎲",
    "\0",
    "\x1b[2J",
    "\u202e",
    "x" * 5_000,
    "'; DROP TABLE players; --",
    "../../etc/passwd",
    "{0.__class__}",
)
NUMBERS = (0, 1, 2, 5, 6, 7, 99, -1, 2**31 - 1, -(2**31))
LARGE = (2**32, 2**63 - 1, -(2**63))
BYTES = (b"", b"\0", b"\xff" * 32, b"a" * 31, b"a" * 33, b"a" * 4_000)
BROKEN = (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNIMPLEMENTED)
"""What the server never answers, whatever it is asked."""


PLACES = (
    *(
        dumps(place)
        for place in ([0, 0, "g", 1], [2**31, 0, "g", 2**31], [0, 2**62, "g", 2**63], [2**63, "g"], ["a", "g"])
    ),
    *('["a",[0,[0' + end + "[" * 3_000 for end in ("]],null,null,", "],", "],null,")),
)
"""What tokens of lists and exports may say: the names and the keys of a token are no secrets, so anybody can make one up."""


def anything(kind: Descriptor, chance: Random, known: dict[str, Any], depth: int = 0) -> Message:
    """A message with anything in its fields, some of which make sense."""
    message = GetMessageClass(kind)()
    for field in kind.fields:
        if chance.random() < 0.25 or (field.containing_oneof and message.WhichOneof(field.containing_oneof.name)):
            continue
        if field.name in known and chance.random() < 0.7:
            setattr(message, field.name, known[field.name])
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            assert field.message_type is not None
            if depth < 3 and not field.is_repeated:
                getattr(message, field.name).CopyFrom(anything(field.message_type, chance, known, depth + 1))
        elif field.is_repeated:
            getattr(message, field.name).extend(scalar(field, chance) for _ in range(chance.choice((0, 1, 3, 300))))
        else:
            setattr(message, field.name, scalar(field, chance))
    if chance.random() < 0.5:
        _set_token(message, urlsafe_b64encode(chance.choice(PLACES).encode()).decode())
    return message


def _set_token(message: Any, made_up: str) -> None:
    """Let a request go on after a token that was made up for exactly this list."""
    fields = message.DESCRIPTOR.fields_by_name
    if "page_token" in fields:
        message.page_token = token_in_list(made_up, message)
    elif "after" in fields and fields["after"].type == FieldDescriptor.TYPE_STRING:
        message.after = made_up


def scalar(field: FieldDescriptor, chance: Random) -> Any:
    if field.type == FieldDescriptor.TYPE_STRING:
        return chance.choice(TEXTS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return chance.choice(BYTES)
    if field.type == FieldDescriptor.TYPE_BOOL:
        return chance.random() < 0.5
    if field.type == FieldDescriptor.TYPE_INT64:
        return chance.choice(NUMBERS + LARGE)
    return chance.choice(NUMBERS)


def damaged(raw: bytes, chance: Random) -> bytes:
    """Bytes that were a message once, or never were."""
    at = chance.randrange(len(raw) + 1)
    match chance.randrange(6):
        case 0:
            return raw[:at]
        case 1:
            return raw[:at] + chance.randbytes(3) + raw[at:]
        case 2:
            return bytes(byte ^ (chance.random() < 0.1) << chance.randrange(8) for byte in raw)
        case 3:
            return raw.replace(b"a", b"\xed\xa0\x80")  # Half of a surrogate pair, which is no text.
        case 4:
            return chance.randbytes(chance.randrange(200))
        case _:
            return raw + b"\x0a\xff\xff\xff\xff\x0f"  # A length beyond the end.
