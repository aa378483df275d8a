"""Completes the document that Litestar makes: parameters, headers, reasons, examples, and the meaning of every field."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, TypeAlias

from services.http.parameters import EXAMPLE_CLUB, EXAMPLE_GAME, EXAMPLE_PLAYER, RULEBOOK_IDS
from services.http.problems import MEDIA_TYPE
from services.http.schema.example_answers import example_answers
from services.http.schema.meanings import meaning_of
from services.http.schema.prose import MILLISECONDS

Part: TypeAlias = dict[str, Any]
"""A part of the document."""

_HEADERS: Mapping[str, Part] = {
    "ETag": {
        "description": "Stands for this answer; send it as `If-None-Match`, and you get no body that you have.",
        "required": True,
        "schema": {"type": "string"},
        "example": '"mOqg2mX0pTqJ3bS1Yw2cXQFh"',
    },
    "Cache-Control": {
        "description": "How long, and for whom, a cache may keep the answer.",
        "required": True,
        "schema": {"type": "string"},
        "example": "public, max-age=86400",
    },
    "Vary": {
        "description": "The headers of the request that the answer depends on.",
        "required": True,
        "schema": {"type": "string"},
        "example": "Authorization, Accept-Encoding",
    },
    "Retry-After": {
        "description": "How many seconds to wait before the same request.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
        "example": 1,
    },
    "WWW-Authenticate": {
        "description": "How to say who you are.",
        "required": True,
        "schema": {"type": "string"},
        "example": 'Bearer realm="liarsdice"',
    },
}
_OF_FAILURE = {
    HTTPStatus.UNAUTHORIZED: ("WWW-Authenticate",),
    HTTPStatus.TOO_MANY_REQUESTS: ("Retry-After",),
    HTTPStatus.SERVICE_UNAVAILABLE: ("Retry-After",),
}
_EXAMPLES: Mapping[str, Any] = {
    "game_id": EXAMPLE_GAME,
    "player_id": EXAMPLE_PLAYER,
    "player": EXAMPLE_PLAYER,
    "club_id": EXAMPLE_CLUB,
    "season": 1,
    "other": "bot.cautious",
    "players": f"{EXAMPLE_PLAYER},bot.cautious",
    "name": "Ann",
    "since": "2026-01-31",
    "until": "2026-02-28T18:00:00Z",
    "page_token": "WzE3Njk4ODI0MDAwMDAsIjZmMWQwYzllNWI4YTQ3ZDIiXQ==.3d1f8a90c2b4e657",
    "seat": 1,
    "version": 12,
    "number": 1,
    "size": 5,
    "old_size": 1,
    "new_size": 5,
    "Last-Event-ID": 20,
}
"""Examples of parameters that have neither a default nor a list of values."""
_LIMITS: Mapping[str, Part] = {"face": {"minimum": 1, "maximum": 6}, "seat": {"minimum": 0}, "quantity": {"minimum": 1}}
"""Limits of fields that mean the same in all answers."""
_TIMES = ("at", "since", "until")
_NOISE = {"deprecated": False, "allowEmptyValue": False, "allowReserved": False}


def completed(document: Part) -> Part:
    """The document with everything in it. The given one is changed."""
    components = document["components"]
    components["headers"], components["examples"] = dict(_HEADERS), {}
    for name, schema in components["schemas"].items():
        _complete_schema(name, schema)
    for operation in operations(document):
        operation.pop("deprecated", None)
        operation["parameters"] = [_parameter(one) for one in operation.get("parameters", [])]
        if not operation["parameters"]:
            del operation["parameters"]
        _complete_responses(operation, components["examples"])
    return document


def operations(document: Part) -> Iterator[Part]:
    """All operations."""
    return (methods["get"] for methods in document["paths"].values())


def _complete_schema(name: str, schema: Part) -> None:
    properties: Mapping[str, Part] = schema.get("properties", {})
    schema["description"], told = meaning_of(name, frozenset(properties))
    for field, content in properties.items():
        if field in told:
            content["description"] = told[field]
        if field == "rulebook" or (name, field) == ("RulebookAnswer", "id"):
            _only(content, RULEBOOK_IDS)
        content.pop("default", None)  # An answer says everything, also what is as usual.
        if field in _TIMES or field.endswith("_at"):
            _mark_times(content)
        if content.get("type") == "integer":
            content.update(_LIMITS.get(field, {}))


def _mark_times(schema: Part) -> None:
    for one in (schema, *schema.get("oneOf", ())):
        if one.get("type") == "integer":
            one["format"] = MILLISECONDS


def _only(schema: Part, values: tuple[str, ...]) -> None:
    """Let a text, or a text or null, be one of some values."""
    if "oneOf" in schema:
        del schema["oneOf"]
        schema.update(type=["string", "null"], enum=[*values, None])
    else:
        schema.update(type="string", enum=[*values])


def _parameter(parameter: Part) -> Part:
    """A parameter without what goes without saying. A parameter of a request is never null: it is left out."""
    kept = {name: value for name, value in parameter.items() if _NOISE.get(name) is not value}
    schema = _without_null(parameter["schema"])
    schema.pop("description", None)
    for limit in ("minimum", "maximum"):
        if isinstance(schema.get(limit), float) and schema[limit].is_integer():
            schema[limit] = int(schema[limit])
    return {**kept, "schema": schema, "example": _example(parameter["name"], schema)}


def _without_null(schema: Part) -> Part:
    kept = {name: value for name, value in schema.items() if name != "oneOf"}
    for one in schema.get("oneOf", ()):
        if one.get("type") != "null":
            kept |= one
    if isinstance(kept.get("type"), list):
        (kept["type"],) = [one for one in kept["type"] if one != "null"]
    if "enum" in kept:
        kept["enum"] = [one for one in kept["enum"] if one is not None]
    if kept.get("default", ...) is None:
        del kept["default"]
    return kept


def _example(name: str, schema: Part) -> Any:
    if name in _EXAMPLES:
        return _EXAMPLES[name]
    if "enum" in schema:
        return schema.get("default", schema["enum"][0])
    if schema.get("type") == "boolean":
        return schema.get("default", True)
    return schema.get("default", schema.get("minimum", "text"))


def _complete_responses(operation: Part, shared: Part) -> None:
    """Add the headers of each answer, the reasons of each failure and an example of each."""
    responses = operation["responses"] = dict(sorted(operation["responses"].items()))
    has_rulebook = any(one["name"] == "rulebook" for one in operation.get("parameters", []))
    for status, response in responses.items():
        headers = response["headers"] = {
            name: {"description": one["description"], "required": one["required"], "schema": {"type": "string"}}
            for name, one in response.get("headers", {}).items()
        }
        failure = response.get("content", {}).get(MEDIA_TYPE)
        if failure is not None:
            if not has_rulebook:
                failure["examples"].pop("NO_SUCH_RULEBOOK", None)
            _complete_failure(failure, shared)
            names: tuple[str, ...] = ("Cache-Control", *_OF_FAILURE.get(HTTPStatus(int(status)), ()))
        elif str(HTTPStatus.NOT_MODIFIED.value) in responses:
            names = ("ETag", "Cache-Control", "Vary")
        else:
            names = ("Cache-Control",)
        headers.update({name: {"$ref": f"#/components/headers/{name}"} for name in names})
    _complete_success(operation, responses[str(HTTPStatus.OK.value)])


def _complete_failure(content: Part, shared: Part) -> None:
    """Say which reasons a failure may have. Each has an example, which all operations share."""
    reasons = content["examples"]
    shared.update({reason: {"summary": one["summary"], "value": one["value"]} for reason, one in reasons.items()})
    content["schema"] = {"allOf": [content["schema"], {"properties": {"reason": {"enum": [*reasons]}}}]}
    content["examples"] = {reason: {"$ref": f"#/components/examples/{reason}"} for reason in reasons}


def _complete_success(operation: Part, response: Part) -> None:
    response["description"] = operation["summary"] + "."
    for media_type, content in response.get("content", {}).items():
        example = example_answers().get(operation["operationId"], {}).get(media_type)
        if example is not None:
            content["example"] = example
