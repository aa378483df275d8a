"""The JSON schemas of the tools, made from the structs. A model may have to read all of them, so they are kept short."""

from typing import Any

import msgspec

from services.mcp.answers import Answer
from services.mcp.arguments import Arguments

_TITLES = ("title",)
_TITLES_AND_DEFAULTS = ("title", "default")
_EXPLANATIONS = ("title", "default", "description")


def input_schema(arguments: type[Arguments]) -> dict[str, Any]:
    """The schema of a tool's arguments, with an explanation of each."""
    schema: dict[str, Any] = _without(_schema(arguments), _TITLES)
    del schema["description"]  # The tool has one.
    return schema


def output_schema(answer: type[Answer], *, explained: bool) -> dict[str, Any]:
    """The schema of a tool's answer. Answers that several tools return are explained once."""
    schema: dict[str, Any] = _without(_schema(answer), _TITLES_AND_DEFAULTS if explained else _EXPLANATIONS)
    return schema


def _schema(kind: type[Any]) -> dict[str, Any]:
    """The schema of a struct; the struct itself stands at the top, where MCP wants an object."""
    schema = msgspec.json.schema(kind)
    named: dict[str, Any] = schema["$defs"]
    top: dict[str, Any] = named.pop(kind.__name__)
    return {**top, "$defs": named} if named else top


def _without(schema: Any, keywords: tuple[str, ...], *, names: bool = False) -> Any:
    """A schema without some keywords. What stands below `properties` and `$defs` are names and no keywords."""
    if isinstance(schema, list):
        return [_without(part, keywords) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without(part, keywords, names=not names and key in {"properties", "$defs"})
        for key, part in schema.items()
        if names or key not in keywords
    }
