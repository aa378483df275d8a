"""The shape of requests: the path of a field in them, whether their texts are UTF-8 and their enum values known."""

from collections.abc import Hashable, Iterator
from functools import cache
from typing import Any, cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from services.access.refusals import FieldInvalid

_VARINT, _LENGTH_FIRST = 0, 2
_FIXED_LENGTHS = {1: 8, 5: 4}
_VARINT_BITS_MAX = 63


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


def path_of_bad_text(raw: bytes, request_type: type[Message]) -> str | None:
    """The path of the first text in some bytes that is not UTF-8; None if something else keeps them from being a request."""
    try:
        return _bad_text(memoryview(raw), request_type.DESCRIPTOR, "")
    except (IndexError, KeyError, ValueError):
        return None  # These bytes are no message at all.


def _bad_text(raw: memoryview, message: Any, within: str) -> str | None:
    for number, content in _parts(raw):
        field = message.fields_by_number.get(number)
        if field is None or content is None:
            continue
        path = f"{within}{field.name}"
        if field.type == FieldDescriptor.TYPE_STRING and not _is_utf_8(content):
            return path
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            found = _bad_text(content, field.message_type, f"{path}.")
            if found is not None:
                return found
    return None


def _parts(raw: memoryview) -> Iterator[tuple[int, memoryview | None]]:
    """The fields in the bytes of a message: the number of each, and its bytes if its length is written before it."""
    place = 0
    while place < len(raw):
        tag, place = _varint(raw, place)
        number, kind = tag >> 3, tag & 7
        if kind == _LENGTH_FIRST:
            length, place = _varint(raw, place)
            yield number, raw[place : place + length]
            place += length
        elif kind == _VARINT:
            _, place = _varint(raw, place)
        else:
            place += _FIXED_LENGTHS[kind]


def _varint(raw: memoryview, place: int) -> tuple[int, int]:
    """The number that begins at a place, and the place after it."""
    number = shift = 0
    while True:
        byte = raw[place]
        number |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:  # noqa: PLR2004 - the highest bit says whether the number goes on
            return number, place
        if shift > _VARINT_BITS_MAX:
            raise ValueError(number)


def _is_utf_8(content: memoryview) -> bool:
    try:
        str(content, "utf-8")
    except UnicodeDecodeError:
        return False
    return True


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
