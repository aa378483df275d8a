"""Messages as JSON, by the rules of protobuf's own mapping.

The library's mapping accepts what is not meant: it drops letters that are no base64, takes a list for a message, and fails
with a `TypeError` on others. A link of a chain that is cut short without a word would cost a player the seat. So requests
are read here, strictly, and every refusal names the field by its path. What is written is the same as the library's; a
test compares the two for every message.
"""

import binascii
import math
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from domain.refusals import Malformed
from services.access.refusals import FieldInvalid

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder()
_WHOLE = re.compile(r"-?[0-9]{1,20}")
_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_NAME_LENGTH_MAX = 64
_TIMESTAMP = Timestamp.DESCRIPTOR.full_name

_INTEGERS = frozenset(
    {
        FieldDescriptor.CPPTYPE_INT32,
        FieldDescriptor.CPPTYPE_INT64,
        FieldDescriptor.CPPTYPE_UINT32,
        FieldDescriptor.CPPTYPE_UINT64,
    }
)
_LONG = frozenset({FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64})
_FRACTIONS = frozenset({FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE})

Convert = Callable[[Any], Any]


def written(message: Message) -> bytes:
    """A message as JSON."""
    return _ENCODER.encode(_object(message))


def _object(message: Message) -> dict[str, Any]:
    fields = _written_fields(message.DESCRIPTOR)
    return {(known := fields[field.number])[0]: known[1](value) for field, value in message.ListFields()}


@cache
def _written_fields(described: Any) -> dict[int, tuple[str, Convert]]:
    """How each field of a message is called in JSON, and how its value is written."""
    return {field.number: (field.json_name, _writer(field)) for field in described.fields}


def _writer(field: FieldDescriptor) -> Convert:
    if _is_map(field):
        return dict
    one = _value_writer(field)
    return (lambda values: [one(value) for value in values]) if field.is_repeated else one


def _value_writer(field: FieldDescriptor) -> Convert:
    if field.message_type is not None:
        return Timestamp.ToJsonString if field.message_type.full_name == _TIMESTAMP else _object
    if field.enum_type is not None:
        names = {value.number: value.name for value in field.enum_type.values}
        return lambda number: names.get(number, number)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return lambda raw: b64encode(raw).decode()
    if field.cpp_type in _LONG:
        return str
    return _number if field.cpp_type in _FRACTIONS else _as_it_is


def _number(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _as_it_is(value: Any) -> Any:
    return value


def read(raw: bytes, message_type: type[Message]) -> Any:
    """The message in some JSON; refused if it is no such message."""
    try:
        value = _DECODER.decode(raw) if raw else {}
    except RecursionError:
        raise Malformed(what=message_type.DESCRIPTOR.name, problem="it is nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        # The decoder says what is wrong and at which byte, and quotes nothing.
        problem = str(error) if isinstance(error, msgspec.DecodeError) else "it is not in UTF-8"
        raise Malformed(what=message_type.DESCRIPTOR.name, problem=f"it is no JSON ({problem})") from None
    if not isinstance(value, dict):
        raise Malformed(what=message_type.DESCRIPTOR.name, problem="it must be an object of JSON")
    message = message_type()
    _fill(message, value, "")
    return message


def _fill(message: Message, value: dict[str, Any], within: str) -> None:
    fields, found = _read_fields(message.DESCRIPTOR), set[int]()
    for name, content in value.items():
        field = fields.get(name)
        if field is None:
            shown = ascii(name[:_NAME_LENGTH_MAX])[1:-1]
            raise FieldInvalid(field=f"{within}{shown}", problem="is not one that this server knows")
        if field.number in found:
            raise FieldInvalid(field=f"{within}{field.name}", problem="is there twice, by both of its names")
        found.add(field.number)
        if content is not None:
            _set(message, field, content, f"{within}{field.name}")


@cache
def _read_fields(described: Descriptor) -> dict[str, FieldDescriptor]:
    """The fields of a message by both of their names: as JSON has them, and as the contract has them."""
    return {name: field for field in described.fields for name in (field.json_name, field.name)}


def _set(message: Message, field: FieldDescriptor, content: Any, path: str) -> None:
    oneof = field.containing_oneof
    if oneof is not None and message.WhichOneof(oneof.name) not in (None, field.name):
        raise FieldInvalid(field=path, problem=f"can't be set beside {message.WhichOneof(oneof.name)}")
    try:
        if _is_map(field):
            getattr(message, field.name).update(_as(dict, content, "an object"))
        elif field.is_repeated:
            _extend(getattr(message, field.name), field, _as(list, content, "a list"), path)
        elif field.message_type is not None:
            _fill_part(getattr(message, field.name), content, path)
        else:
            setattr(message, field.name, _scalar(field, content))
    except (_Wrong, ValueError, TypeError) as error:
        problem = str(error) if isinstance(error, _Wrong) else "has a value that is not allowed there"
        raise FieldInvalid(field=path, problem=problem) from None


def _extend(values: Any, field: FieldDescriptor, content: list[Any], path: str) -> None:
    for index, one in enumerate(content):
        if field.message_type is not None:
            _fill_part(values.add(), one, f"{path}[{index}]")
        else:
            values.append(_scalar(field, one))


def _fill_part(part: Any, content: Any, path: str) -> None:
    if isinstance(part, Timestamp):
        part.FromJsonString(_as(str, content, "a time such as 2026-01-31T12:00:00Z"))
        return
    part.SetInParent()
    _fill(part, _as(dict, content, "an object"), f"{path}.")


class _Wrong(Exception):  # noqa: N818 - it becomes a refusal that names the field
    """A value is not of the type that its field has."""


def _as(kind: type[Any], content: Any, called: str) -> Any:
    if not isinstance(content, kind):
        raise _Wrong(f"must be {called}")
    return content


def _scalar(field: FieldDescriptor, content: Any) -> Any:
    if field.enum_type is not None:
        return _enum(field, content)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _bytes(_as(str, content, "bytes in base64"))
    if field.type == FieldDescriptor.TYPE_STRING:
        return _as(str, content, "text")
    if field.type == FieldDescriptor.TYPE_BOOL:
        return _as(bool, content, "true or false")
    return _integer(content) if field.cpp_type in _INTEGERS else _fraction(content)


def _enum(field: FieldDescriptor, content: Any) -> int:
    assert field.enum_type is not None
    if isinstance(content, str) and content in field.enum_type.values_by_name:
        return int(field.enum_type.values_by_name[content].number)
    if isinstance(content, int) and not isinstance(content, bool):
        return content  # Whether the server knows it is checked for all protocols alike.
    raise _Wrong("must name a value that this server knows")


def _bytes(text: str) -> bytes:
    standard = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise _Wrong("must be bytes in base64") from None


def _integer(content: Any) -> int:
    if isinstance(content, str) and _WHOLE.fullmatch(content):
        return int(content)
    if isinstance(content, float) and content.is_integer():
        return int(content)
    if not isinstance(content, int) or isinstance(content, bool):
        raise _Wrong("must be a whole number")
    return content


def _fraction(content: Any) -> float:
    if isinstance(content, str) and content in _NUMBERS:
        return _NUMBERS[content]
    if not isinstance(content, int | float) or isinstance(content, bool):
        raise _Wrong("must be a number")
    return float(content)


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry
