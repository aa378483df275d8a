"""Between events and what is stored of them: the event sourcing library's mapper, for this game's events.

The library's own mapper builds events from the attributes of any object; ours are structs that know nothing of games
and positions, so they travel in a `GameEvent`. Its compressor and cipher work on the sealed bytes, as it does everywhere.
"""

import os
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
from eventsourcing.persistence import Cipher, Compressor, Mapper, MapperDeserialisationError, StoredEvent, Transcoder

from domain.events import AnyEvent
from domain.refusals import Malformed
from domain.values import Value
from infra.codec import encode_event, encode_fields
from infra.keys import KeyRing
from infra.sealing import KeyMissing, NothingToSealWith, Place, joined, key_id_of, seal, split, unseal
from infra.upcasting import TOPICS, Topics


class GameEvent(Value, frozen=True):
    """An event in its game, at its position; the first one of a game has position 1."""

    originator_id: str
    originator_version: int
    event: AnyEvent

    @property
    def place(self) -> Place:
        """Where the event stands."""
        return Place(self.originator_id, self.originator_version, self.event.TOPIC)


class EventTranscoder(Transcoder):
    """Writes events with their secrets sealed, and reads them as far as its keys go."""

    def __init__(
        self,
        keys: KeyRing | None = None,
        *,
        must_open: bool = False,
        topics: Topics = TOPICS,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        """With `must_open`, a secret that no key opens is refused; without, it is read as None."""
        assert keys or not must_open, "nothing opens without a key"
        self._keys = keys
        self._must_open = must_open
        self._topics = topics
        self._random = random

    def encode(self, obj: GameEvent) -> bytes:
        """The stored state of an event."""
        event, place = obj.event, obj.place
        secrets = self._topics.secrets(place.topic)
        if not secrets:
            return encode_event(event)[1]
        if self._keys is None:
            raise NothingToSealWith(game_id=place.game_id, version=place.version)
        public = encode_fields(event, _public_fields(type(event)))
        secret = encode_fields(event, secrets)
        return seal(secret, public, place, self._keys.newest, self._random)

    def decode(self, data: bytes) -> dict[str, Any]:
        """The fields as they are stored, whatever the topic: secrets stay sealed."""
        try:
            return msgspec.json.decode(data, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise Malformed(what="stored state", problem=str(error)) from None

    def decode_at(self, place: Place, state: bytes) -> AnyEvent:
        """The event of a stored state."""
        secrets = self._topics.secrets(place.topic)
        if secrets:
            public, sealed = split(state, place)
            state = joined(public, self._opened(sealed, public, place) or _hidden(secrets))
        return self._topics.decode(place.topic, state)

    def _opened(self, sealed: bytes, public: bytes, place: Place) -> bytes | None:
        if self._keys is None:
            return None
        secret = unseal(sealed, public, place, self._keys)
        if secret is None and self._must_open:
            key_id = key_id_of(sealed, place).hex()
            raise KeyMissing(game_id=place.game_id, version=place.version, key_id=key_id)
        return secret


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
        state = self._events.encode(domain_event)
        if self.compressor:
            state = self.compressor.compress(state)
        if self.cipher:
            state = self.cipher.encrypt(state)
        return StoredEvent(domain_event.originator_id, domain_event.originator_version, domain_event.event.TOPIC, state)

    def to_domain_event(self, stored_event: StoredEvent) -> GameEvent:
        """The event that was stored."""
        place = Place(str(stored_event.originator_id), stored_event.originator_version, stored_event.topic)
        event = self._events.decode_at(place, self._unpacked(stored_event))
        return GameEvent(place.game_id, place.version, event)

    def _unpacked(self, stored_event: StoredEvent) -> bytes:
        state = stored_event.state
        try:
            if self.cipher:
                state = self.cipher.decrypt(state)
            if self.compressor:
                state = self.compressor.decompress(state)
        except Exception as error:  # Which errors there are is up to the compressor and the cipher.
            place = f"event {stored_event.originator_version} of game {stored_event.originator_id}"
            raise MapperDeserialisationError(f"The bytes of {place} can't be unpacked.") from error
        return state


@cache
def _public_fields(kind: type[AnyEvent]) -> tuple[str, ...]:
    return tuple(name for name in kind.__struct_fields__ if name not in kind.SECRETS)


@cache
def _hidden(secrets: tuple[str, ...]) -> bytes:
    return msgspec.json.encode(dict.fromkeys(secrets))
