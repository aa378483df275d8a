"""Events become the library's stored events and come back, also compressed or encrypted by the library's settings."""

import zlib
from base64 import b64encode
from collections.abc import Iterable
from uuid import UUID

import pytest
from eventsourcing.compressor import ZlibCompressor
from eventsourcing.cryptography import AESCipher
from eventsourcing.persistence import (
    Cipher,
    Compressor,
    EventStore,
    InfrastructureFactory,
    JSONTranscoder,
    MapperDeserialisationError,
    StoredEvent,
)
from eventsourcing.popo import POPOAggregateRecorder
from eventsourcing.utils import Environment
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.events import AnyEvent, DiceDealt
from domain.evolve import evolve
from domain.refusals import Malformed, Refusal
from domain.state import NOTHING, State
from domain.views import seen_by
from infra.events.codec import encode_event
from infra.events.mapping import EventMapper, EventTranscoder, GameEvent
from infra.keys.key_ring import Key, KeyRing
from tests.golden.games import GAMES, read_events
from tests.golden.samples import EVENTS, SERVER_LINK

KEYS = KeyRing([Key(bytes(32))])
CIPHER = AESCipher(Environment(env={"CIPHER_KEY": b64encode(bytes(32)).decode()}))
PACKINGS: dict[str, tuple[Compressor | None, Cipher | None]] = {
    "plain": (None, None),
    "compressed": (ZlibCompressor(), None),
    "encrypted": (None, CIPHER),
    "compressed and encrypted": (ZlibCompressor(), CIPHER),
}

packed = pytest.mark.parametrize("packing", PACKINGS)


def mapper(packing: str = "plain", keys: KeyRing | None = KEYS) -> EventMapper:
    return EventMapper(EventTranscoder(keys, must_open=keys is not None), *PACKINGS[packing])


def in_a_game(events: Iterable[AnyEvent]) -> list[GameEvent]:
    return [GameEvent("game", version, event) for version, event in enumerate(events, 1)]


def states(events: Iterable[AnyEvent]) -> list[State]:
    """The game after each of its events."""
    after: list[State] = [NOTHING]
    for event in events:
        after.append(evolve(after[-1], event))
    return after


@packed
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: str(event.TOPIC))
def test_an_event_comes_back_as_it_was(event: AnyEvent, packing: str) -> None:
    game_event = GameEvent("game", 3, event)

    stored = mapper(packing).to_stored_event(game_event)

    assert (stored.originator_id, stored.originator_version, stored.topic) == ("game", 3, event.TOPIC)
    assert mapper(packing).to_domain_event(stored) == game_event


@packed
@pytest.mark.parametrize("rulebook", GAMES)
def test_a_whole_game_comes_back_as_it_was_and_without_the_key_as_a_spectator_sees_it(
    rulebook: str, packing: str
) -> None:
    game = in_a_game(read_events(rulebook))

    stored = list(map(mapper(packing).to_stored_event, game))
    opened = list(map(mapper(packing).to_domain_event, stored))
    public = [mapper(packing, keys=None).to_domain_event(event).event for event in stored]

    assert opened == game
    assert states(public) == states(seen_by(event.event, None) for event in game)


@pytest.mark.parametrize("event", [event for event in EVENTS if not event.SECRETS], ids=lambda event: str(event.TOPIC))
def test_an_event_without_secrets_is_stored_in_its_golden_bytes_and_needs_no_key(event: AnyEvent) -> None:
    stored = mapper(keys=None).to_stored_event(GameEvent("game", 3, event))

    assert (stored.topic, stored.state) == encode_event(event)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: str(event.TOPIC))
def test_compressed_bytes_are_those_of_zlib_over_the_plain_ones(event: AnyEvent) -> None:
    stored = mapper("compressed").to_stored_event(GameEvent("game", 3, event))

    plain = StoredEvent("game", 3, stored.topic, zlib.decompress(stored.state))
    assert mapper().to_domain_event(plain).event == event


@packed
def test_no_packing_shows_the_dice_or_the_link(packing: str) -> None:
    hands = ((6, 5, 4, 3, 2), (1, 1, 2, 2, 3))
    event = DiceDealt(at=7, server_link=SERVER_LINK, hands=hands)

    state = mapper(packing).to_stored_event(GameEvent("game", 3, event)).state

    for shown in (state, zlib.decompress(state) if packing == "compressed" else b""):
        assert b"6,5,4,3,2" not in shown
        assert bytes(hands[0]) not in shown
        assert SERVER_LINK not in shown
        assert SERVER_LINK.hex().encode() not in shown
        assert b64encode(SERVER_LINK)[:-4] not in shown


def test_the_librarys_event_store_takes_the_mapper() -> None:
    store = EventStore(mapper("compressed"), POPOAggregateRecorder())
    game = in_a_game(read_events("pirates"))

    store.put(game)

    assert list(store.get("game")) == game
    assert list(store.get("game", gt=3, lte=5)) == game[3:5]
    assert list(store.get("another")) == []


def test_the_librarys_factory_makes_the_mapper_with_what_the_environment_names() -> None:
    environment = {"COMPRESSOR_TOPIC": "zlib", "CIPHER_TOPIC": "eventsourcing.cryptography:AESCipher"}
    environment["CIPHER_KEY"] = b64encode(bytes(32)).decode()
    factory: InfrastructureFactory = InfrastructureFactory.construct(environment)

    made = factory.mapper(EventTranscoder(KEYS, must_open=True), EventMapper)

    event = GameEvent("game", 3, EVENTS[10])
    assert isinstance(made, EventMapper)
    assert made.to_domain_event(made.to_stored_event(event)) == event
    assert mapper("compressed and encrypted").to_domain_event(made.to_stored_event(event)) == event


def test_a_store_that_keeps_game_ids_as_uuids_gives_them_back_as_texts() -> None:
    game_id = UUID(int=7)
    stored = mapper().to_stored_event(GameEvent(str(game_id), 3, EVENTS[10]))

    read = mapper().to_domain_event(StoredEvent(game_id, 3, stored.topic, stored.state))

    assert read == GameEvent(str(game_id), 3, EVENTS[10])


@pytest.mark.parametrize("packing", ["compressed", "encrypted", "compressed and encrypted"])
def test_bytes_that_can_not_be_unpacked_are_told_by_their_place(packing: str) -> None:
    with pytest.raises(MapperDeserialisationError) as refused:
        mapper(packing).to_domain_event(StoredEvent("game", 3, "dice-dealt.v1", b"{}"))

    assert str(refused.value) == "The bytes of event 3 of game game can't be unpacked."


def test_the_mapper_works_with_its_own_transcoder_only() -> None:
    with pytest.raises(AssertionError):
        EventMapper(JSONTranscoder())


def test_who_must_open_needs_keys() -> None:
    with pytest.raises(AssertionError):
        EventTranscoder(must_open=True)


@pytest.mark.parametrize("state", [b"", b"[]", b"7", b"\xff", b"[" * 100_000])
def test_a_state_that_is_no_json_object_has_no_fields(state: bytes) -> None:
    with pytest.raises(Malformed, match="not a valid stored state"):
        EventTranscoder().decode(state)


@packed
@for_all(event=st.sampled_from(EVENTS), position=st.integers(min_value=0), junk=st.binary(max_size=3))
def test_damaged_bytes_give_an_event_of_their_topic_or_an_error_of_ours(
    packing: str, event: AnyEvent, position: int, junk: bytes
) -> None:
    stored = mapper(packing).to_stored_event(GameEvent("game", 3, event))
    place = position % len(stored.state)
    damaged = stored.state[:place] + junk + stored.state[place + 1 :]
    try:
        read = mapper(packing).to_domain_event(StoredEvent("game", 3, stored.topic, damaged))
    except (Refusal, MapperDeserialisationError):
        return
    assert read.event.TOPIC == event.TOPIC
    assert read.event == event or not event.SECRETS
