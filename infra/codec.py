"""How an event is written down: its topic and the JSON of its fields.

JSON because auditors in any language must be able to read and hash the same bytes; msgspec writes the fields in the
order they are declared in, without spaces, so that equal events have equal bytes.
"""

from typing import Any, get_args

import msgspec

from domain.events import AnyEvent
from domain.refusals import Malformed

_KINDS: dict[str, type[Any]] = {kind.TOPIC: kind for kind in get_args(AnyEvent)}
_DECODERS = {topic: msgspec.json.Decoder(kind) for topic, kind in _KINDS.items()}
_ENCODER = msgspec.json.Encoder()


def encode_event(event: AnyEvent) -> tuple[str, bytes]:
    """The topic and the bytes of an event."""
    return event.TOPIC, _ENCODER.encode(event)


def decode_event(topic: str, state: bytes) -> AnyEvent:
    """The event of a topic from its bytes."""
    decoder = _DECODERS.get(topic)
    if decoder is None:
        raise Malformed(what="event", problem=f"there is no topic {topic}")
    try:
        event: AnyEvent = decoder.decode(state)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Malformed(what=f"event {topic}", problem=str(error)) from None
    return event
