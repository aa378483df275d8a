"""Turns events into stored events and back: the event sourcing library's mapper, for this game's events.

The library's own mapper reads the game and the position from attributes of the event. Our events are structs that have
neither, so a `GameEvent` carries them. The library's compressor and cipher, if there are any, work on the sealed bytes.
"""

import os
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import msgspec
from eventsourcing.persistence import Cipher, Compressor, Mapper, MapperDeserialisationError, StoredEvent, Transcoder

from domain.events import AnyEvent
from domain.refusals import Malformed
from domain.values import Value
from infra.events.codec import encode_event, encode_fields
from infra.events.evidence import (
    SALT_LENGTH,
    Evidence,
    Signed,
    committed,
    next_digest,
    split_digest,
    split_evidence,
    with_evidence,
)
from infra.events.sealing import KeyMissing, NothingToSealWith, Place, SealBroken, joined, key_id_of, seal, unseal
from infra.events.upcasting import TOPICS, Topics
from infra.keys.key_ring import KeyRing


class GameEvent(Value, frozen=True):
    """An event in its game, at its position; the first one of a game has position 1."""

    originator_id: str
    originator_version: int
    event: AnyEvent
    signed: Signed | None = None
    previous: bytes | None = None
    """The digest of the event before. With it, this event is stored with a digest; without (None), it is not."""
    digest: bytes | None = None
    """The digest that was stored with it."""

    @property
    def place(self) -> Place:
        """The game, the position and the topic of the event."""
        return Place(self.originator_id, self.originator_version, self.event.TOPIC)


class Written(NamedTuple):
    """An event as it is to be stored, with the digest that is part of it."""

    stored: StoredEvent
    digest: bytes | None


class EventTranscoder(Transcoder):
    """Writes events with their secrets sealed, and reads the secrets that its keys open."""

    def __init__(
        self,
        keys: KeyRing | None = None,
        *,
        must_open: bool = False,
        topics: Topics = TOPICS,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        """With `must_open` it refuses an event whose secret no key opens; without, the secret is read as None."""
        assert keys or not must_open, "without a key nothing can be opened"
        self._keys = keys
        self._must_open = must_open
        self._topics = topics
        self._random = random

    def encode(self, obj: GameEvent) -> bytes:
        """The stored state of an event."""
        return self.encode_whole(obj)[0]

    def encode_whole(self, obj: GameEvent) -> tuple[bytes, bytes | None]:
        """The stored state of an event, and the digest in it."""
        event, place = obj.event, obj.place
        secrets = self._topics.secrets(place.topic)
        public = encode_fields(event, _public_fields(type(event))) if secrets else encode_event(event)[1]
        commitment, sealed = self._hidden(event, secrets, public, obj) if secrets else (None, None)
        digest = None
        if obj.previous is not None:
            digest = next_digest(
                obj.previous, place.version, place.topic, public, commitment=commitment, signed=obj.signed
            )
        evidence = Evidence(commitment=commitment, sealed=sealed, signed=obj.signed, digest=digest)
        return with_evidence(public, evidence), digest

    def decode(self, data: bytes) -> dict[str, Any]:
        """The stored fields of any event, with the secrets still sealed."""
        try:
            return msgspec.json.decode(data, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise Malformed(what="stored state", problem=str(error)) from None

    def decode_at(self, place: Place, state: bytes) -> AnyEvent:
        """The event of a stored state."""
        return self.decode_whole(place, state).event

    def decode_whole(self, place: Place, state: bytes) -> GameEvent:
        """The event of a stored state, with what proves it."""
        public, evidence = split_evidence(state)
        secrets = self._topics.secrets(place.topic)
        fields = joined(public, self._opened(evidence, public, place) or _nothing(secrets)) if secrets else public
        event = self._topics.decode(place.topic, fields)
        return GameEvent(place.game_id, place.version, event, evidence.signed, digest=evidence.digest)

    def opening(self, place: Place, state: bytes) -> bytes | None:
        """The salt and the secret that open the commitment of a stored state; None if it has no commitment."""
        public, evidence = split_evidence(state)
        return None if evidence.commitment is None else self._unsealed(evidence, public, place)

    def _hidden(
        self, event: AnyEvent, secrets: tuple[str, ...], public: bytes, obj: GameEvent
    ) -> tuple[bytes | None, bytes]:
        """The sealed secrets, and the commitment to them if the event gets a digest."""
        if self._keys is None:
            raise NothingToSealWith(game_id=obj.originator_id, version=obj.originator_version)
        secret = encode_fields(event, secrets)
        if obj.previous is None:
            return None, seal(secret, public, obj.place, self._keys.newest, self._random)
        salt = self._random(SALT_LENGTH)
        sealed = seal(salt + secret, public, obj.place, self._keys.newest, self._random)
        return committed(salt, secret), sealed

    def _opened(self, evidence: Evidence, public: bytes, place: Place) -> bytes | None:
        """The secret JSON object, or None without the key."""
        opening = self._unsealed(evidence, public, place)
        return opening if opening is None or evidence.commitment is None else opening[SALT_LENGTH:]

    def _unsealed(self, evidence: Evidence, public: bytes, place: Place) -> bytes | None:
        if evidence.sealed is None:
            raise Malformed(what=f"event {place.topic}", problem="its secrets are not sealed")
        if self._keys is None:
            return None
        opening = unseal(evidence.sealed, public, place, self._keys)
        if opening is None and self._must_open:
            key_id = key_id_of(evidence.sealed, place).hex()
            raise KeyMissing(game_id=place.game_id, version=place.version, key_id=key_id)
        if opening is not None and evidence.commitment is not None:
            salt, secret = opening[:SALT_LENGTH], opening[SALT_LENGTH:]
            if committed(salt, secret) != evidence.commitment:
                raise SealBroken(game_id=place.game_id, version=place.version)
        return opening


class EventMapper(Mapper[str]):
    """Turns events into stored events and back."""

    def __init__(
        self, transcoder: Transcoder, compressor: Compressor | None = None, cipher: Cipher | None = None
    ) -> None:
        assert isinstance(transcoder, EventTranscoder)
        super().__init__(transcoder, compressor, cipher)
        self._events = transcoder

    def to_stored_event(self, domain_event: GameEvent) -> StoredEvent:  # type: ignore[override]  # it takes no other
        """What is stored of an event."""
        return self.written(domain_event).stored

    def written(self, event: GameEvent) -> Written:
        """The stored form of an event, and its digest, so that no caller has to parse the digest out of the bytes again."""
        state, digest = self._events.encode_whole(event)
        if self.compressor:
            state = self.compressor.compress(state)
        if self.cipher:
            state = self.cipher.encrypt(state)
        stored = StoredEvent(event.originator_id, event.originator_version, event.event.TOPIC, state)
        return Written(stored, digest)

    def to_domain_event(self, stored_event: StoredEvent) -> GameEvent:
        """The event that was stored."""
        return self._events.decode_whole(_place(stored_event), self._unpacked(stored_event))

    def digest(self, stored_event: StoredEvent, previous: bytes) -> bytes:
        """The digest that a stored event should have after one with the digest `previous`."""
        public, evidence = split_evidence(self._unpacked(stored_event))
        version, topic = stored_event.originator_version, stored_event.topic
        return next_digest(previous, version, topic, public, commitment=evidence.commitment, signed=evidence.signed)

    def opening(self, stored_event: StoredEvent) -> bytes | None:
        """The salt and the secret that open the commitment of a stored event; None if it has no commitment."""
        return self._events.opening(_place(stored_event), self._unpacked(stored_event))

    def _unpacked(self, stored_event: StoredEvent) -> bytes:
        state = stored_event.state
        try:
            if self.cipher:
                state = self.cipher.decrypt(state)
            if self.compressor:
                state = self.compressor.decompress(state)
        except Exception as error:  # Every compressor and cipher has its own errors.
            place = f"event {stored_event.originator_version} of game {stored_event.originator_id}"
            raise MapperDeserialisationError(f"The bytes of {place} can't be unpacked.") from error
        return state


def read_without_keys(topic: str, state: bytes, topics: Topics = TOPICS) -> tuple[AnyEvent, bytes | None]:
    """The event of a stored state as a reader without keys sees it, and its digest. Quick, because many are read."""
    secrets = topics.secrets(topic)
    if not secrets and (plain := split_digest(state)) is not None:
        return topics.decode(topic, plain[0]), plain[1]
    public, evidence = split_evidence(state)
    fields = joined(public, _nothing(secrets)) if secrets else public
    return topics.decode(topic, fields), evidence.digest


def _place(stored_event: StoredEvent) -> Place:
    return Place(str(stored_event.originator_id), stored_event.originator_version, stored_event.topic)


@cache
def _public_fields(kind: type[AnyEvent]) -> tuple[str, ...]:
    return tuple(name for name in kind.__struct_fields__ if name not in kind.SECRETS)


@cache
def _nothing(secrets: tuple[str, ...]) -> bytes:
    return msgspec.json.encode(dict.fromkeys(secrets))
