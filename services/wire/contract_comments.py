"""The comments of the contract: what each message and each of its fields means."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parents[2] / "proto" / "liarsdice" / "v1"
_MESSAGE = re.compile(r"message (\w+) \{(\}?)$")
_FIELD = re.compile(r"(?:optional |repeated |map<[^>]+> )?[\w.]* ?(\w+) = \d+( \[.*\])?;")


@cache
def contract_comments() -> Mapping[str, Mapping[str, str]]:
    """The comments of fields by message and field. The comment of a message itself is at an empty name."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(_FOLDER.glob("*.proto")):
        for message, field, comment in _comments(path.read_text(encoding="utf-8")):
            found.setdefault(message, {})[field] = comment
    return found


def _comments(text: str) -> Iterator[tuple[str, str, str]]:
    """Each message and field with the lines of comment right above it."""
    message, above = "", list[str]()
    for line in map(str.strip, text.splitlines()):
        if line.startswith("//"):
            above.append(line.removeprefix("//").strip())
            continue
        if begun := _MESSAGE.match(line):
            yield begun[1], "", " ".join(above)
            message = message if begun[2] else begun[1]
        elif (field := _FIELD.match(line)) and message:
            yield message, field[1], " ".join(above)
        above.clear()
