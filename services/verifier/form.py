"""The spelling of a bundle: one of JSON and one of base64 (audit-format.md, "Notation" and "The bundle").

Two different texts never mean the same. So if anybody changes a byte, some check finds it.
"""

import json
from base64 import b64encode
from binascii import a2b_base64
from typing import Any

Json = dict[str, Any]

ZERO_WIDTH_JOINER = "\u200d"  # Some emoji need it. It is the only invisible character that a name may have.
KINDS_WITH_BOOLEANS = {"game-created", "round-started"}

BUNDLE_BYTES_MAX = 32 * 1024 * 1024
"""More than the longest game needs. A larger file is refused before anybody reads it all."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_PLAIN = (int, type(None))
_PLAIN_AND_BOOLEANS = (int, type(None), bool)


def spelled(value: Any) -> str:
    """The JSON text of a value, as the server writes it."""
    return _ENCODER.encode(value)


def parsed_bundle(text: str) -> Any:
    """The value of a bundle's text. Its strings may have line feeds, and there are no booleans in it."""
    return _parsed(text, _PLAIN, "\n" + ZERO_WIDTH_JOINER)


def parsed_event(kind: str, text: str) -> Any:
    """The value of the public part of an event. Its strings escape only quotation marks and backslashes."""
    return _parsed(text, _PLAIN_AND_BOOLEANS if kind in KINDS_WITH_BOOLEANS else _PLAIN, ZERO_WIDTH_JOINER)


def _parsed(text: str, plain: tuple[type, ...], unseen: str) -> Any:
    """The value of a text; a ValueError if it has another spelling, or values that may not be in it."""
    value = json.loads(text)
    if spelled(value) != text:
        raise ValueError("this is another spelling")
    _check_value(value, plain, unseen)
    return value


def _check_value(value: Any, plain: tuple[type, ...], unseen: str) -> None:
    """All strings are visible but for the `unseen` characters; all else is one of the `plain` types, without a minus."""
    if isinstance(value, list | dict):
        for part in value:
            _check_value(part, plain, unseen)
            if isinstance(value, dict):
                _check_value(value[part], plain, unseen)
    elif isinstance(value, str):
        if not value.isprintable() and not all(one in unseen or one.isprintable() for one in value):
            raise ValueError("this has characters that are not shown")
    elif type(value) not in plain or (value is not None and value < 0):
        raise ValueError("this is no whole number from 0 on, and nothing else that may be here")


def decoded(text: str) -> bytes:
    """The bytes of a base64 text in the one spelling that an encoder writes."""
    content = a2b_base64(text, strict_mode=True)
    if base64_text(content) != text:
        raise ValueError("this is another spelling of base64")
    return content


def decoded_exactly(text: str, length: int) -> bytes:
    """The bytes of a base64 text, which must have this length."""
    content = decoded(text)
    if len(content) != length:
        raise ValueError(f"these are not {length} bytes")
    return content


def base64_text(content: bytes) -> str:
    """The base64 text of some bytes."""
    return b64encode(content).decode()


def with_length(content: bytes, size: int) -> bytes:
    """Some bytes with their length before them, as a big-endian number of `size` bytes."""
    return len(content).to_bytes(size, "big") + content
