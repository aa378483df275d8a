"""The steps of a replay as they are stored: events with their topics, digests one after the other, and odds.

The topic says how to read an event, as in the event store, so that steps stay readable when events get new versions. The
odds are stored too, so that reading a replay computes nothing. The events are in a column of their own, because a state
needs nothing else.
"""

from struct import Struct
from typing import NamedTuple

import msgspec

from domain.events import AnyEvent
from domain.history.replaying import Odds, Replay
from domain.refusals import Malformed
from infra.events.codec import encode_event
from infra.events.evidence import DIGEST_LENGTH
from infra.events.upcasting import TOPICS

_NO_DIGEST = bytes(DIGEST_LENGTH)
_DIGESTS = Struct(f"{DIGEST_LENGTH}s")
_ENCODER = msgspec.json.Encoder()
_EVENTS = msgspec.json.Decoder(list[tuple[str, msgspec.Raw]])
_ODDS = msgspec.json.Decoder(tuple[tuple[tuple[float | None, ...], float] | None, ...])


class StoredSteps(NamedTuple):
    """The columns of a stored replay."""

    events: bytes
    digests: bytes
    odds: bytes


def encode_replay(replay: Replay) -> StoredSteps:
    """A replay as it is stored."""
    return StoredSteps(
        _ENCODER.encode([(topic, msgspec.Raw(fields)) for topic, fields in map(encode_event, replay.events)]),
        b"".join(digest or _NO_DIGEST for digest in replay.digests),
        _ENCODER.encode([odds and (odds.seats, odds.public) for odds in replay.odds]),
    )


def decode_replay(game_id: str, stored: StoredSteps) -> Replay:
    """A stored replay."""
    try:
        odds = _ODDS.decode(stored.odds)
    except msgspec.DecodeError as error:
        raise Malformed(what="stored replay", problem=str(error)) from None
    digests = (digest for (digest,) in _DIGESTS.iter_unpack(stored.digests))
    return Replay(
        game_id,
        decode_events(stored.events),
        tuple([digest if digest != _NO_DIGEST else None for digest in digests]),
        tuple([one and Odds(*one) for one in odds]),
    )


def decode_events(stored: bytes) -> tuple[AnyEvent, ...]:
    """The events of a stored replay."""
    try:
        written = _EVENTS.decode(stored)
    except msgspec.DecodeError as error:
        raise Malformed(what="stored replay", problem=str(error)) from None
    return TOPICS.decode_all(written)
