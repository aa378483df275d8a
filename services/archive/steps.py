"""The steps of a replay as they are stored: one JSON array for each, of topic, fields, digest and odds.

The topic says how the fields are to be read, as in the event store, so that steps stay readable when events get new
versions. What they hold is final: nothing of it is worked out again when a replay is read.
"""

from collections.abc import Iterable

import msgspec

from domain.refusals import Malformed
from domain.replaying import Odds, Step
from infra.codec import encode_event
from infra.upcasting import TOPICS

_Written = tuple[str, msgspec.Raw, bytes | None, Odds | None]
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(tuple[_Written, ...])


def encode_steps(steps: Iterable[Step]) -> bytes:
    """Steps as they are stored."""
    return _ENCODER.encode([_written(step) for step in steps])


def decode_steps(stored: bytes) -> tuple[Step, ...]:
    """Steps from what was stored."""
    try:
        written = _DECODER.decode(stored)
    except msgspec.DecodeError as error:
        raise Malformed(what="stored replay", problem=str(error)) from None
    return tuple(
        Step(version, TOPICS.decode(topic, bytes(fields)), digest, odds)
        for version, (topic, fields, digest, odds) in enumerate(written, 1)
    )


def _written(step: Step) -> _Written:
    topic, fields = encode_event(step.event)
    return topic, msgspec.Raw(fields), step.digest, step.odds
