"""Translates values of the domain into messages, and back.

A struct of the domain and its message have the same name and the same fields. So one rule for each kind of field
translates them all, and a test fails if a struct and its message ever differ. There are only these exceptions:

- a time is a number of milliseconds in the domain and a timestamp in a message; a literal is an enum in a message;
- the time of an event is not in its own message, but beside it in `GameEvent`;
- a list within a list is a small message (`Hand`, `Place`, `Chips`), and a hand that the viewer may not see is None in
  the domain and a `Hand` that is marked as hidden in a message.

A value first becomes plain fields, dictionaries within dictionaries. The outermost message is made from them in one step:
the library would encode and decode a message again to put it into another one.
"""

import re
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_type_hints

import msgspec
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from liarsdice.v1 import event_pb2, game_pb2

from domain.events import AnyEvent
from domain.refusals import Malformed
from domain.values import Value
from domain.views import GameView

Made = TypeVar("Made")
AnyMessage = TypeVar("AnyMessage", bound=Message)
Translate = Callable[[Any], Any]
Fields = dict[str, Any]

_MESSAGE, _ENUM = FieldDescriptor.TYPE_MESSAGE, FieldDescriptor.TYPE_ENUM
_TIMESTAMP = Timestamp.DESCRIPTOR
_HIDDEN = "hidden"
_EVENTS: dict[str, type[Value]] = {kind.__name__: kind for kind in AnyEvent.__args__}


def timestamp(milliseconds: int) -> Timestamp:
    """A time of the domain, as a timestamp."""
    return Timestamp(**_timestamp_fields(milliseconds))


def _timestamp_fields(milliseconds: int) -> Fields:
    seconds, rest = divmod(milliseconds, 1000)
    return {"seconds": seconds, "nanos": rest * 1_000_000}


def milliseconds(time: Timestamp) -> int:
    """A timestamp, as milliseconds since 1970."""
    return time.seconds * 1000 + time.nanos // 1_000_000


def view_message(view: GameView) -> game_pb2.GameView:
    """A view, as a message."""
    return game_pb2.GameView(**view_fields(view))


def view_fields(view: GameView) -> Fields:
    """The fields of a view's message, for a message that holds it."""
    fields: Fields = _encoder(game_pb2.GameView.DESCRIPTOR)(view)
    return fields


def view_of(message: game_pb2.GameView) -> GameView:
    """The view in a message."""
    return from_message(message, GameView)


def event_message(version: int, event: AnyEvent) -> event_pb2.GameEvent:
    """An event, as a message. The caller has removed what the viewer may not see."""
    return event_pb2.GameEvent(**event_fields(version, event))


def event_fields(version: int, event: AnyEvent) -> Fields:
    """The fields of an event's message, for a message that holds it."""
    name, encode = _event_encoder(type(event))
    return {"version": version, "at": _timestamp_fields(event.at), name: encode(event)}


def event_of(message: event_pb2.GameEvent) -> AnyEvent:
    """The event in a message."""
    name = message.WhichOneof("event")
    if name is None:
        raise Malformed(what="event", problem="it is of a kind that this program does not know")
    inner = getattr(message, name)
    fields = _plain(inner, _EVENTS[inner.DESCRIPTOR.name]) | {"at": milliseconds(message.at)}
    return cast("AnyEvent", _converted(fields, _EVENTS[inner.DESCRIPTOR.name], inner.DESCRIPTOR.name))


def to_message(value: Value, kind: type[AnyMessage]) -> AnyMessage:
    """The message of this type for a value of the domain."""
    return kind(**_encoder(kind.DESCRIPTOR)(value))


def from_message(message: Message, kind: type[Made]) -> Made:
    """The value of the domain in a message; refused if an enum value is unknown or a part is missing."""
    return _converted(_plain(message, kind), kind, message.DESCRIPTOR.name)


def _converted(fields: dict[str, Any], kind: type[Made], name: str) -> Made:
    try:
        return msgspec.convert(fields, kind, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        raise Malformed(what=name, problem=str(error)) from None


@cache
def enum_names(enum: EnumDescriptor) -> dict[int, str | None]:
    """The domain's names for the numbers of an enum; None for number 0, which means "not set"."""
    prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", enum.name).upper() + "_"
    return {
        value.number: None if value.number == 0 else value.name.removeprefix(prefix).lower() for value in enum.values
    }


@cache
def _event_encoder(kind: type[AnyEvent]) -> tuple[str, Translate]:
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
    return name, _encoder(event_pb2.GameEvent.DESCRIPTOR.fields_by_name[name].message_type)


@cache
def _encoder(descriptor: Descriptor) -> Translate:
    """The function that makes this message from a struct, or from a list if the message stands for a list."""
    if _is_list(descriptor):
        name = descriptor.fields[0].name
        return lambda value: {name: value} if value is not None else {_HIDDEN: True}
    fields = [(field.name, _field_encoder(field)) for field in descriptor.fields]

    def encode(value: Any) -> Fields:
        given = {}
        for name, translate in fields:
            part = getattr(value, name)
            if part is not None:
                given[name] = part if translate is None else translate(part)
        return given

    return encode


def _field_encoder(field: FieldDescriptor) -> Translate | None:
    """The function that makes the value of a message's field; None if the domain has the same value."""
    if field.type == _ENUM:
        one: Translate | None = {name: number for number, name in enum_names(field.enum_type).items()}.__getitem__
    elif field.type != _MESSAGE:
        one = None
    elif _inner(field).full_name == _TIMESTAMP.full_name:
        one = _timestamp_fields
    else:
        one = _encoder(_inner(field))
    if one is None or not field.is_repeated:
        return one
    each = one
    return lambda values: [each(value) for value in values]


def _plain(message: Message, kind: type[Any]) -> dict[str, Any]:
    """The fields of a message as plain values. An unset field is left out if the struct has a default; else None."""
    optional = _defaulted(cast("Hashable", kind))
    plain = {}
    for field in message.DESCRIPTOR.fields:
        if field.has_presence and not message.HasField(field.name):
            value = None
        else:
            value = _plain_field(field, getattr(message, field.name))
        if value is not None or field.name not in optional:
            plain[field.name] = value
    return plain


def _plain_field(field: Any, value: Any) -> Any:
    if not field.is_repeated:
        return _plain_value(field, value)
    return [_plain_value(field, one) for one in value]


def _plain_value(field: FieldDescriptor, value: Any) -> Any:
    if field.type == _ENUM:
        names = enum_names(field.enum_type)
        return names.get(value, value)
    if field.type != _MESSAGE:
        return value
    inner = _inner(field)
    if inner.full_name == _TIMESTAMP.full_name:
        return milliseconds(value)
    if _is_list(inner):
        return None if getattr(value, _HIDDEN, False) else list(getattr(value, inner.fields[0].name))
    return _plain(value, _structs().get(inner.name, dict))


def _inner(field: FieldDescriptor) -> Descriptor:
    assert field.message_type is not None, "only a field that holds a message is asked"
    return field.message_type


@cache
def _is_list(descriptor: Descriptor) -> bool:
    """Whether a message stands for a list. Protobuf has no lists of lists, so the inner ones are such messages."""
    names = {field.name for field in descriptor.fields} - {_HIDDEN}
    return len(names) == 1 and descriptor.fields[0].is_repeated and descriptor.name in {"Hand", "Place", "Chips"}


@cache
def _defaulted(kind: Any) -> frozenset[str]:
    if not issubclass(kind, msgspec.Struct):
        return frozenset()
    return frozenset(field.name for field in msgspec.structs.fields(kind) if not field.required)


@cache
def _structs() -> dict[str, type[Value]]:
    """The structs in views and events by name. Their messages have the same names."""
    found: dict[str, type[Value]] = {}
    kinds: list[Any] = [GameView, *_EVENTS.values()]
    while kinds:
        kind = kinds.pop()
        if isinstance(kind, type) and issubclass(kind, Value) and kind.__name__ not in found:
            found[kind.__name__] = kind
            kinds += get_type_hints(kind).values()
        kinds += get_args(kind)
    return found
