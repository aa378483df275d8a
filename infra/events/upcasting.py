"""All kinds of events by topic, and how an event of an older version becomes one of the newest.

A topic is a permanent name with a version, like `bid-placed.v1`. When a payload changes, the event's class gets the next
version, and an `Upcast` for the old topic says how the old fields become the new ones. What is stored is never
rewritten: reading an old event converts it each time, version by version.
"""

from collections.abc import Callable, Iterable
from typing import Any, get_args

import msgspec

from domain.events import AnyEvent
from domain.refusals import Malformed
from domain.values import Value
from infra.postgres.failures import EventTooNew

Payload = dict[str, Any]
"""The fields of an event as JSON has them: bytes in base64, a secret that the reader may not see as None."""

_BAD_BYTES = (msgspec.DecodeError, UnicodeError, RecursionError)
_BAD_PAYLOAD = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


class Upcast(Value, frozen=True):
    """How the fields of an older version become those of the next one."""

    topic: str
    """The older topic."""
    change: Callable[[Payload], Payload]
    """It gets None for every secret that the reader has no key for."""
    secrets: tuple[str, ...] = ()
    """The secret fields that the older version had."""

    @property
    def next_topic(self) -> str:
        """The topic of the version after it."""
        name, _, version = self.topic.rpartition(".v")
        return f"{name}.v{int(version) + 1}"


class Topics:
    """All topics that this program can read: those of today's events and, through upcasts, older ones."""

    def __init__(self, kinds: Iterable[type[Any]], upcasts: Iterable[Upcast] = ()) -> None:
        kinds, upcasts = tuple(kinds), tuple(upcasts)
        self._decoders = {kind.TOPIC: msgspec.json.Decoder(kind) for kind in kinds}
        self._upcasts = {upcast.topic: upcast for upcast in upcasts}
        self._secrets: dict[str, tuple[str, ...]] = {kind.TOPIC: kind.SECRETS for kind in kinds}
        self._secrets |= {upcast.topic: upcast.secrets for upcast in upcasts}
        assert len(self._secrets) == len(kinds) + len(upcasts), "a topic has one meaning"
        assert all(upcast.next_topic in self._secrets for upcast in upcasts), "every upcast leads to an event of today"

    @property
    def with_secrets(self) -> list[str]:
        """The topics that have secret fields."""
        return [topic for topic, secrets in self._secrets.items() if secrets]

    def secrets(self, topic: str) -> tuple[str, ...]:
        """The secret fields of a topic; fails for one that only a newer program knows."""
        secrets = self._secrets.get(topic)
        if secrets is None:
            raise EventTooNew(topic=topic)
        return secrets

    def decode(self, topic: str, state: bytes) -> AnyEvent:
        """The event of today that these bytes, stored under this topic, stand for."""
        decoder = self._decoders.get(topic)
        try:
            event: AnyEvent = self._upcasted(topic, state) if decoder is None else decoder.decode(state)
        except _BAD_BYTES as error:
            raise Malformed(what=f"event {topic}", problem=str(error)) from None
        return event

    def decode_all(self, stored: Iterable[tuple[str, bytes | msgspec.Raw]]) -> tuple[AnyEvent, ...]:
        """The events of many topics and bytes. Quick if all topics are today's, as they mostly are."""
        stored = tuple(stored)
        try:
            return tuple([self._decoders[topic].decode(state) for topic, state in stored])
        except (KeyError, *_BAD_BYTES):
            return tuple([self.decode(topic, bytes(state)) for topic, state in stored])

    def _upcasted(self, topic: str, state: bytes) -> AnyEvent:
        self.secrets(topic)
        payload = msgspec.json.decode(state, type=Payload)
        while upcast := self._upcasts.get(topic):
            payload = _changed(upcast, payload)
            topic = upcast.next_topic
        event: AnyEvent = self._decoders[topic].decode(msgspec.json.encode(payload))
        return event


def _changed(upcast: Upcast, payload: Payload) -> Payload:
    try:
        return upcast.change(payload)
    except _BAD_PAYLOAD as error:
        # Only the kind of the error, because its message could quote a secret field.
        raise Malformed(what=f"event {upcast.topic}", problem=f"{type(error).__name__} while upcasting") from None


UPCASTS: tuple[Upcast, ...] = (Upcast("player-joined.v1", lambda fields: {**fields, "signing_key": None}),)
"""A player who joined before there were signing keys has none."""

TOPICS = Topics(get_args(AnyEvent), UPCASTS)
