"""The bytes of an event: its topic and the JSON of its fields.

It is JSON because auditors in any language must be able to read and hash the same bytes. msgspec writes the fields in
the order of their declaration, without spaces, so that equal events have equal bytes. These bytes hold the secrets in
the clear: what is stored goes through `infra.events.mapping`, which seals them.
"""

import msgspec

from domain.events import AnyEvent
from infra.events.upcasting import TOPICS

_ENCODER = msgspec.json.Encoder()


def encode_event(event: AnyEvent) -> tuple[str, bytes]:
    """The topic and the bytes of an event."""
    return event.TOPIC, _ENCODER.encode(event)


def encode_fields(event: AnyEvent, names: tuple[str, ...]) -> bytes:
    """The bytes of some fields of an event."""
    return _ENCODER.encode({name: getattr(event, name) for name in names})


def decode_event(topic: str, state: bytes) -> AnyEvent:
    """The event of a topic from its bytes."""
    return TOPICS.decode(topic, state)
