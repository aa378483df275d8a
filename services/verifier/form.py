"""The spelling of a bundle: one of JSON and one of base64 (audit-format.md, "Notation" and "The bundle").

Two different texts never mean the same. So if anybody changes a byte, some check finds it.
"""

import json
import re
from base64 import b64encode
from binascii import a2b_base64
from typing import Any

Json = dict[str, Any]

ZERO_WIDTH_JOINER = "\u200d"  # Some emoji need it. It is the only invisible character that a name may have.
KINDS_WITH_BOOLEANS = {"game-created", "round-started"}

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_BUNDLE_WORDS = re.compile(r'"(?:[^"\\]|\\.)*"|null')
_EVENT_WORDS = re.compile(r'"(?:[^"\\]|\\["\\])*"|null')
_EVENT_WORDS_AND_BOOLEANS = re.compile(r'"(?:[^"\\]|\\["\\])*"|null|true|false')
_OTHER_THAN_STRUCTURE = re.compile(r"[^]\[{},:0-9]")


def spelled(value: Any) -> str:
    """The JSON text of a value, as the server writes it."""
    return _ENCODER.encode(value)


def parsed_bundle(text: str) -> Any:
    """The value of a bundle's text. Its strings may have any escapes, and there are no booleans in it."""
    return _parsed(text, _BUNDLE_WORDS)


def parsed_event(kind: str, text: str) -> Any:
    """The value of the public part of an event. Its strings escape only quotation marks and backslashes."""
    return _parsed(text, _EVENT_WORDS_AND_BOOLEANS if kind in KINDS_WITH_BOOLEANS else _EVENT_WORDS)


def _parsed(text: str, words: re.Pattern[str]) -> Any:
    """The value of a text; a ValueError if it has another spelling, other numbers than whole ones, or hidden signs."""
    value = json.loads(text)
    # Between strings and words stand digits and punctuation: no minus, no fraction, no exponent, no NaN.
    structure = words.sub("", text)
    if spelled(value) != text or _OTHER_THAN_STRUCTURE.search(structure):
        raise ValueError("this is another spelling")
    if not text.replace(ZERO_WIDTH_JOINER, "").isprintable():
        raise ValueError("this has characters that are not shown")
    return value


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
