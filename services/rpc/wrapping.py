"""Builds messages from bytes that are encoded already, so that content for many callers is encoded once."""

from functools import cache

from liarsdice.v1 import game_service_pb2 as wire

_SHORT = 0x80
"""Numbers below this are written as one byte."""


def wrapped(field: int, content: bytes) -> bytes:
    """A message that holds only this other one: its field's number, the length, the bytes."""
    return _tag(field) + _varint(len(content)) + content


@cache
def _tag(field: int) -> bytes:
    return _varint(field << 3 | 2)


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number >= _SHORT:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


class StreamWrapping:
    """Puts content that many watchers share into a message of one kind of stream."""

    def __init__(self, answer: type[wire.WatchGameResponse | wire.WatchGamesResponse | wire.PlayResponse]) -> None:
        self._fields = {name: field.number for name, field in answer.DESCRIPTOR.fields_by_name.items()}

    def snapshot(self, content: bytes) -> bytes:
        """A message with the whole game."""
        return wrapped(self._fields["snapshot"], content)

    def update(self, content: bytes) -> bytes:
        """A message with new events."""
        return wrapped(self._fields["update"], content)

    def connection(self, content: bytes) -> bytes:
        """A message that a player has connected or disconnected."""
        return wrapped(self._fields["connection"], content)

    def rematch(self, content: bytes) -> bytes:
        """A message that there is a rematch."""
        return wrapped(self._fields["rematch"], content)


WATCH = StreamWrapping(wire.WatchGameResponse)
WATCH_MANY = StreamWrapping(wire.WatchGamesResponse)
PLAY = StreamWrapping(wire.PlayResponse)
