"""The shape of requests: the path of a field in them, and whether this server knows their enum values."""

from collections.abc import Hashable
from functools import cache
from typing import Any, cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from services.access.refusals import FieldInvalid


def path_of(name: str, request_type: type[Message]) -> str | None:
    """The path of a field or oneof in a request: at its top, or inside the only part that has it; otherwise None."""
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
    """Refuse an enum value that this server does not know: a newer client means something that we must not ignore."""
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
    """The fields that are enums or contain enums. It is cached, and empty for most requests."""
    return tuple(
        field
        for field in message.fields
        if field.enum_type is not None or (field.message_type is not None and _with_enums(field.message_type))
    )
