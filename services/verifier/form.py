"""The spelling of a bundle: one of JSON and one of base64 (audit-format.md, "Notation" and "The bundle").

Two different texts never mean the same. So if anybody changes a byte, some check finds it.
"""

import json
from base64 import b64encode
from binascii import a2b_base64
from itertools import zip_longest
from typing import Any

from .failure import Failed

Json = dict[str, Any]

BUNDLE_BYTES_MAX = 32 * 1024 * 1024
"""More than the longest game needs. A larger file is refused before anybody reads it all."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def spelled(value: Any) -> str:
    """The JSON text of a value, as the server writes it."""
    return _ENCODER.encode(value)


def parsed(text: str, where: str) -> Any:
    """The value of a JSON text. It fails if the text is not JSON, or spelled in another way than an encoder would."""
    try:
        value = json.loads(text)
        written = spelled(value)
    except json.JSONDecodeError as error:
        raise Failed("form", f"{where} is not JSON at character {error.pos}: {error.msg}.") from None
    except ValueError:  # Python reads no number of more than some thousand digits.
        raise Failed("form", f"{where} has a number with too many digits.") from None
    except RecursionError:
        raise Failed("form", f"{where} has too many brackets inside one another.") from None
    if written != text:
        raise Failed(
            "form", f"{where} is not spelled as an encoder writes it, from character {_first(written, text)} on."
        )
    return value


def _first(one: str, other: str) -> int:
    """The index of the first character in which two texts differ."""
    pairs = enumerate(zip_longest(one, other))
    return next(index for index, (left, right) in pairs if left != right)


def decoded(text: str) -> bytes | None:
    """The bytes of a base64 text; None if it has another spelling than an encoder writes."""
    try:
        content = a2b_base64(text, strict_mode=True)
    except ValueError:
        return None
    return content if base64_text(content) == text else None


def known_bytes(text: str) -> bytes:
    """The bytes of a base64 text whose spelling was checked before."""
    return a2b_base64(text)


def base64_text(content: bytes) -> str:
    """The base64 text of some bytes."""
    return b64encode(content).decode()


def with_length(content: bytes, size: int) -> bytes:
    """Some bytes with their length before them, as a big-endian number of `size` bytes."""
    return len(content).to_bytes(size, "big") + content
