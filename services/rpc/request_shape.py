"""Requests by their shape: where a field stands in them, and whether their enums are known."""

from collections.abc import Hashable
from functools import cache
from typing import Any, cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from services.access.refusals import FieldInvalid


def path_of(name: str, request_type: type[Message]) -> str | None:
    """Where a field, or a choice between fields, stands in a request: at its top, or within the one part that has it."""
    request, path = request_type.DESCRIPTOR, name.split(".")
    if _has(request, path):
        return name
    parts = [part.name for part in request.fields if _has(request, [part.name, *path])]
    return f"{parts[0]}.{name}" if len(parts) == 1 else None


def _has(message: Any, path: list[str]) -> bool:
    first, *rest = path
    if not rest and first in message.oneofs_by_name:
        return True
    field = message.fields_by_name.get(first)
    if field is None or not rest:
        return field is not None
    return field.message_type is not None and _has(field.message_type, rest)


def check_enums(message: Message, within: str = "") -> None:
    """Refuse a number of an enum that has no name here: a newer client may mean something by it."""
    for field in _fields_with_enums(cast("Hashable", type(message))):
        path = f"{within}{field.name}"
        for value in _values(message, field):
            if field.enum_type is None:
                check_enums(value, f"{path}.")
            elif value not in field.enum_type.values_by_number:
                raise FieldInvalid(field=path, problem="must name a value that this server knows")


def _values(message: Message, field: FieldDescriptor) -> Any:
    value = getattr(message, field.name)
    return value if field.is_repeated else (value,)


@cache
def _fields_with_enums(kind: Any) -> tuple[FieldDescriptor, ...]:
    return _with_enums(kind.DESCRIPTOR)


@cache
def _with_enums(message: Any) -> tuple[FieldDescriptor, ...]:
    """The fields that are enums, or hold messages that have some; most requests have none."""
    return tuple(
        field
        for field in message.fields
        if field.enum_type is not None or (field.message_type is not None and _with_enums(field.message_type))
    )
