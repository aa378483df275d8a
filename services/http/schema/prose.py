"""Words for the page: texts as HTML, and kinds of values as people say them."""

import re
from collections.abc import Iterator
from html import escape
from typing import Any

_CODE = re.compile(r"`([^`]+)`")
_SHORT = 24
MILLISECONDS = "unix-milliseconds"
_NAMES = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false", "null": "null"}


def code(text: object) -> str:
    """A word of the interface. A line does not end within a short one."""
    words = escape(str(text), quote=False)
    return f'<code class="is-short">{words}</code>' if len(words) <= _SHORT else f"<code>{words}</code>"


def prose(text: str) -> str:
    """A sentence, with its words in backticks as code."""
    parts = _CODE.split(text)
    return "".join(code(part) if index % 2 else escape(part, quote=False) for index, part in enumerate(parts))


def paragraphs(text: str) -> str:
    """A text whose paragraphs are apart by an empty line."""
    return "".join(f"<p>{prose(part)}</p>" for part in text.strip().split("\n\n"))


def kind_of(schema: dict[str, Any]) -> str:
    """What a value is: `list of GameListing`, `whole number from 1 to 100, or null`."""
    return ", or ".join(_kinds(schema)) or "any value"


def fields_anchor(name: str) -> str:
    """Where the page explains the fields of a struct."""
    return f"fields-{name}"


def _kinds(schema: dict[str, Any]) -> Iterator[str]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield f'<a href="#{fields_anchor(name)}">{escape(name)}</a>'
    elif "oneOf" in schema:
        for one in schema["oneOf"]:
            yield from _kinds(one)
    elif "enum" in schema or "const" in schema:
        yield from _listed(schema)
    elif schema.get("type") == "array":
        yield f"list of {_many(schema['items'])}" if "items" in schema else "list"
    elif schema.get("type") == "object":
        yield "object"
    else:
        types = schema.get("type", [])
        for one in [types] if isinstance(types, str) else types:
            yield f"{_NAMES[one]}{_limits(schema) if one != 'null' else ''}"


def _many(schema: dict[str, Any]) -> str:
    """What the entries of a list are."""
    kind = kind_of(schema)
    for one in ("whole number", "number", "text", "list"):
        if kind == one or kind.startswith((f"{one} from", f"{one} of", f"{one}, or")):
            return f"{one}s{kind.removeprefix(one)}"
    return kind


def _listed(schema: dict[str, Any]) -> Iterator[str]:
    values = schema.get("enum", [schema.get("const")])
    named = [code(one) for one in values if one is not None]
    yield named[0] if len(named) == 1 else f"one of {', '.join(named)}"
    if None in values:
        yield "null"


def _limits(schema: dict[str, Any]) -> str:
    if schema.get("format") == MILLISECONDS:
        return " of milliseconds since 1970"
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f" from {low} on"
    if "maxLength" in schema:
        return f" of at most {schema['maxLength']} characters"
    if "pattern" in schema:
        return f" like {code(schema['pattern'])}"
    return ""
