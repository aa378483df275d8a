"""What was stored under an older version of an event is read as the newest, with the key and without it."""

from typing import Any, get_args

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.events import AnyEvent, BidPlaced, DiceDealt, Hand
from domain.evolve import CHANGES, fold
from domain.history.recording import record_of
from domain.refusals import Malformed
from domain.views import seen_by
from infra.events import upcasting
from infra.events.codec import encode_event
from infra.events.mapping import EventTranscoder, GameEvent
from infra.events.upcasting import TOPICS, Payload, Topics, Upcast
from infra.keys.key_ring import Key, KeyRing
from infra.postgres.failures import EventTooNew
from tests.golden.games import FOLDER, GAMES, read_events
from tests.golden.samples import EVENTS

KEYS = KeyRing([Key(bytes(32))])


class BidPlacedWithWords(BidPlaced, frozen=True):
    """A third version of a bid: the second kept how it was said, this one also whether it was shouted."""

    TOPIC = "bid-placed.v3"

    words: str
    loud: bool


class DiceDealtWithCounts(DiceDealt, frozen=True):
    """A second version of a deal: how many dice show each face, which is secret too."""

    TOPIC = "dice-dealt.v2"
    SECRETS = ("server_link", "hands", "face_counts")  # type: ignore[assignment]  # one more than its parent

    face_counts: Hand | None


def with_words(bid: Payload) -> Payload:
    return {**bid, "words": f"{bid['quantity']} times {bid['face']}"}


def with_loudness(bid: Payload) -> Payload:
    return {**bid, "loud": bid["words"].isupper()}


def with_counts(deal: Payload) -> Payload:
    hands = deal["hands"]
    counts = hands and [sum(hand.count(face) for hand in hands) for face in range(1, 7)]
    return {**deal, "face_counts": counts}


UPCASTS = (
    *upcasting.UPCASTS,
    Upcast("bid-placed.v1", with_words),
    Upcast("bid-placed.v2", with_loudness),
    Upcast("dice-dealt.v1", with_counts, secrets=("server_link", "hands")),
)
UNCHANGED = set(get_args(AnyEvent)) - {BidPlaced, DiceDealt}
LATER = Topics([*UNCHANGED, BidPlacedWithWords, DiceDealtWithCounts], UPCASTS)


def frozen_lines(rulebook: str) -> list[tuple[str, bytes]]:
    lines = (FOLDER / rulebook / "events").read_bytes().splitlines()
    return [(topic.decode(), state) for topic, _, state in (line.partition(b" ") for line in lines)]


def test_an_old_event_becomes_the_next_version_and_the_one_after() -> None:
    event = LATER.decode("bid-placed.v1", b'{"seat":0,"quantity":3,"face":6,"at":5}')

    assert event == BidPlacedWithWords(at=5, seat=0, quantity=3, face=6, words="3 times 6", loud=False)


def test_an_event_of_the_version_between_takes_only_the_rest_of_the_way() -> None:
    event = LATER.decode("bid-placed.v2", b'{"seat":0,"quantity":3,"face":6,"at":5,"words":"THREE"}')

    assert event == BidPlacedWithWords(at=5, seat=0, quantity=3, face=6, words="THREE", loud=True)


def test_the_newest_version_is_read_as_it_is() -> None:
    event: Any = BidPlacedWithWords(at=5, seat=0, quantity=3, face=6, words="three sixes!", loud=False)

    assert LATER.decode(*encode_event(event)) == event


@pytest.fixture
def later_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The later versions change the state as today's do."""
    monkeypatch.setitem(CHANGES, BidPlacedWithWords, CHANGES[BidPlaced])
    monkeypatch.setitem(CHANGES, DiceDealtWithCounts, CHANGES[DiceDealt])


@pytest.mark.usefixtures("later_versions")
@pytest.mark.parametrize("rulebook", GAMES)
def test_old_games_still_load_and_fold(rulebook: str) -> None:
    today = read_events(rulebook)

    later = [LATER.decode(topic, state) for topic, state in frozen_lines(rulebook)]

    assert any(isinstance(event, BidPlacedWithWords) for event in later)
    assert any(isinstance(event, DiceDealtWithCounts) for event in later)
    assert not {BidPlaced, DiceDealt} & {type(event) for event in later}
    assert fold(later) == fold(today)
    assert record_of(later) == record_of(today)


@pytest.mark.usefixtures("later_versions")
@pytest.mark.parametrize("rulebook", GAMES)
def test_old_sealed_games_still_load_and_fold_with_the_key_and_without(rulebook: str) -> None:
    """The seal knows the topic that it was made under, so it is opened before anything is upcast."""
    today = [GameEvent("game", version, event) for version, event in enumerate(read_events(rulebook), 1)]
    stored = [(event.place, EventTranscoder(KEYS).encode(event)) for event in today]
    with_key, without_key = EventTranscoder(KEYS, must_open=True, topics=LATER), EventTranscoder(topics=LATER)

    opened = [with_key.decode_at(place, state) for place, state in stored]
    public = [without_key.decode_at(place, state) for place, state in stored]

    assert fold(opened) == fold([event.event for event in today])
    assert fold(public) == fold([seen_by(event.event, None) for event in today])
    deals = [event for event in opened if isinstance(event, DiceDealtWithCounts)]
    hidden = [event for event in public if isinstance(event, DiceDealtWithCounts)]
    assert all(sum(deal.face_counts or ()) == sum(map(len, filter(None, deal.hands or ()))) > 0 for deal in deals)
    assert {(deal.server_link, deal.hands, deal.face_counts) for deal in hidden} == {(None, None, None)}


def test_the_newest_version_is_sealed_by_its_own_secrets() -> None:
    deal: Any = DiceDealtWithCounts(at=7, server_link=bytes(32), hands=((1, 6),), face_counts=(1, 0, 0, 0, 0, 1))
    event = GameEvent("game", 3, deal)
    transcoder = EventTranscoder(KEYS, must_open=True, topics=LATER)

    state = transcoder.encode(event)

    assert list(transcoder.decode(state)) == ["at", "sealed"]
    assert transcoder.decode_at(event.place, state) == deal


@pytest.mark.parametrize("topic", ["bid-placed.v4", "bid-placed.v0", "bid-placed", "", "dice-dealt.v3"])
def test_an_unknown_topic_is_malformed(topic: str) -> None:
    with pytest.raises(EventTooNew, match="which a newer program stored"):
        LATER.decode(topic, b"{}")
    with pytest.raises(EventTooNew, match="which a newer program stored"):
        LATER.secrets(topic)


def test_what_is_registered_for_a_test_is_not_registered_for_all() -> None:
    with pytest.raises(EventTooNew, match=r"of the kind bid-placed\.v2"):
        TOPICS.decode("bid-placed.v2", b"{}")


@pytest.mark.parametrize("state", [b"", b"[]", b"{}", b"\xff", b'{"hands":5}', b'{"hands":[5]}', b"[" * 100_000])
def test_an_old_payload_that_can_not_be_upcast_is_malformed(state: bytes) -> None:
    for topic in ("bid-placed.v1", "bid-placed.v2", "dice-dealt.v1"):
        with pytest.raises(Malformed):
            LATER.decode(topic, state)


def test_a_failing_upcast_does_not_tell_what_it_was_given() -> None:
    def failing(payload: Payload) -> Payload:
        raise ValueError(payload)

    topics = Topics([BidPlacedWithWords], [Upcast("bid-placed.v2", failing)])

    with pytest.raises(Malformed) as refused:
        topics.decode("bid-placed.v2", b'{"hands":"canary"}')

    assert str(refused.value) == "This is not a valid event bid-placed.v2: ValueError while upcasting."


@for_all(st.sampled_from([event for event in EVENTS if isinstance(event, BidPlaced | DiceDealt)]), st.data())
def test_damage_to_an_old_event_is_malformed_or_read_and_raises_nothing_else(
    event: AnyEvent, data: st.DataObject
) -> None:
    topic, state = encode_event(event)
    place = data.draw(st.integers(0, len(state) - 1))
    try:
        read = LATER.decode(topic, state[:place] + data.draw(st.binary(max_size=3)) + state[place + 1 :])
    except Malformed:
        return
    assert isinstance(read, BidPlacedWithWords | DiceDealtWithCounts)


@pytest.mark.parametrize(
    ("kinds", "upcasts"),
    [
        ([BidPlaced, BidPlaced], []),
        ([BidPlaced], [Upcast("bid-placed.v1", with_words)]),
        ([BidPlacedWithWords], [Upcast("bid-placed.v1", with_words)]),
        ([BidPlacedWithWords], [Upcast("bid-placed.v2", with_words), Upcast("bid-placed.v2", with_loudness)]),
    ],
    ids=["a topic twice", "a topic of today and of the past", "a gap", "two ways on"],
)
def test_a_registry_with_a_hole_or_a_doubt_can_not_be_made(kinds: list[type], upcasts: list[Upcast]) -> None:
    with pytest.raises(AssertionError):
        Topics(kinds, upcasts)
