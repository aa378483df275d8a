"""Secrets are stored so that only the key opens them, and only where they were put."""

from base64 import b64decode, b64encode
from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.events import AnyEvent, DiceDealt, DiceRerolled, Hand
from domain.refusals import Malformed, Refusal
from infra.events.mapping import EventTranscoder, GameEvent
from infra.events.sealing import KeyMissing, NothingToSealWith, Place, SealBroken
from infra.keys.key_ring import Key, KeyRing
from infra.postgres.failures import EventTooNew
from tests.extent import extent
from tests.golden.sealed import GOLDEN_KEYS, SEALED, golden_file, in_the_golden_game, stored_with_a_fixed_nonce

KEYS = KeyRing([Key(bytes(32))])
OTHER_KEYS = KeyRing([Key(bytes(31) + b"\1")])
SEALS = EventTranscoder(KEYS, must_open=True)
WITHOUT_KEYS = EventTranscoder()

LINKS = st.binary(min_size=32, max_size=32)
FACES = st.integers(1, 6)
HANDS = st.lists(FACES, max_size=6).map(tuple)
DEALS: st.SearchStrategy[DiceDealt] = st.builds(
    DiceDealt, at=st.integers(0, 2**53), server_link=LINKS, hands=st.lists(HANDS, min_size=2, max_size=6).map(tuple)
)
REROLLS: st.SearchStrategy[DiceRerolled] = st.builds(
    DiceRerolled,
    at=st.integers(0, 2**53),
    seat=st.integers(0, 5),
    shown=HANDS,
    rerolled=st.integers(1, 5),
    link=LINKS,
    server_link=LINKS,
    hand=HANDS,
)
GAME_EVENTS: st.SearchStrategy[GameEvent] = st.builds(
    GameEvent, st.text(min_size=1, max_size=64).filter(str.isprintable), st.integers(1, 10_000), DEALS | REROLLS
)

DEAL = DiceDealt(at=7, server_link=bytes(range(32)), hands=((1, 2, 3), (), (6,)))
REROLL = DiceRerolled(at=7, seat=0, shown=(1,), rerolled=2, link=bytes(32), server_link=bytes(range(32)), hand=(5, 6))
STORED = SEALS.encode(GameEvent("game", 3, DEAL))
PLACE = Place("game", 3, DiceDealt.TOPIC)


def without_secrets(event: AnyEvent) -> AnyEvent:
    return replace(event, **dict.fromkeys(event.SECRETS))


def sealed_bytes(state: bytes) -> bytes:
    return b64decode(SEALS.decode(state)["sealed"])


def with_sealed_bytes(state: bytes, sealed: bytes) -> bytes:
    before, mark, _ = state.partition(b'"sealed":"')
    return before + mark + b64encode(sealed) + b'"}'


@pytest.mark.parametrize("event", SEALED, ids=lambda event: str(event.TOPIC))
def test_the_bytes_of_a_sealed_event_never_change(event: AnyEvent) -> None:
    frozen = golden_file(event).read_bytes()
    game_event = in_the_golden_game(event)

    assert stored_with_a_fixed_nonce(event) == frozen
    assert EventTranscoder(GOLDEN_KEYS, must_open=True).decode_at(game_event.place, frozen) == event
    assert WITHOUT_KEYS.decode_at(game_event.place, frozen) == without_secrets(event)


def test_every_kind_of_event_with_secrets_has_golden_sealed_bytes() -> None:
    assert [event.TOPIC for event in SEALED] == ["dice-dealt.v1", "dice-rerolled.v1"]


@for_all(GAME_EVENTS)
def test_what_is_sealed_is_read_again_with_the_key_and_without_it_but_for_the_secrets(game_event: GameEvent) -> None:
    state = SEALS.encode(game_event)

    assert SEALS.decode_at(game_event.place, state) == game_event.event
    for reader in (WITHOUT_KEYS, EventTranscoder(OTHER_KEYS)):
        assert reader.decode_at(game_event.place, state) == without_secrets(game_event.event)


def test_public_fields_are_plain_json_beside_the_sealed_ones() -> None:
    fields = WITHOUT_KEYS.decode(SEALS.encode(GameEvent("game", 3, REROLL)))

    assert list(fields) == ["seat", "shown", "rerolled", "link", "at", "sealed"]
    assert fields["shown"] == [1]
    assert STORED.startswith(b'{"at":7,"sealed":"')


def test_a_sealed_part_names_its_key_and_never_repeats_a_nonce() -> None:
    states = [SEALS.encode(GameEvent("game", 3, DEAL)) for _ in range(1_000)]

    assert {sealed_bytes(state)[:8] for state in states} == {KEYS.newest.id}
    assert len({sealed_bytes(state)[8:20] for state in states}) == 1_000


def test_the_newest_key_seals_and_older_ones_open() -> None:
    rotated = EventTranscoder(KeyRing([Key(bytes(32)), Key(b"\1" * 32)]), must_open=True)
    newer = rotated.encode(GameEvent("game", 3, DEAL))

    assert rotated.decode_at(PLACE, STORED) == DEAL
    assert rotated.decode_at(PLACE, newer) == DEAL
    with pytest.raises(KeyMissing):
        SEALS.decode_at(PLACE, newer)


def test_who_must_open_is_told_which_key_is_missing() -> None:
    reader = EventTranscoder(OTHER_KEYS, must_open=True)

    with pytest.raises(KeyMissing) as refused:
        reader.decode_at(PLACE, STORED)

    assert str(refused.value) == (
        f"The secrets of event 3 of game game need the key {KEYS.newest.id.hex()}, which is not among the keys at hand."
    )


def test_without_a_key_no_secret_is_stored() -> None:
    with pytest.raises(NothingToSealWith, match="event 3 of game game can't be stored without a key"):
        WITHOUT_KEYS.encode(GameEvent("game", 3, DEAL))


def test_a_key_that_only_claims_to_be_the_right_one_is_refused() -> None:
    both = KeyRing([Key(bytes(31) + b"\1"), Key(bytes(32))])
    claimed = with_sealed_bytes(STORED, OTHER_KEYS.newest.id + sealed_bytes(STORED)[8:])

    with pytest.raises(SealBroken) as refused:
        EventTranscoder(both).decode_at(PLACE, claimed)

    assert str(refused.value) == (
        "The secrets of event 3 of game game can't be opened: they were changed, moved or sealed with another key."
    )
    assert set(refused.value.fields) == {"game_id", "version"}


MOVES = {
    "another game": Place("gamf", 3, DiceDealt.TOPIC),
    "a game whose id runs into the position": Place("game\n3", 3, DiceDealt.TOPIC),
    "another position": Place("game", 4, DiceDealt.TOPIC),
    "another kind of event": Place("game", 3, DiceRerolled.TOPIC),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_sealed_part_does_not_open_in(name: str) -> None:
    with pytest.raises(SealBroken):
        SEALS.decode_at(MOVES[name], STORED)


def test_a_sealed_part_does_not_open_beside_other_public_fields() -> None:
    other = SEALS.encode(GameEvent("game", 3, replace(DEAL, at=8)))

    with pytest.raises(SealBroken):
        SEALS.decode_at(PLACE, with_sealed_bytes(other, sealed_bytes(STORED)))


def test_the_same_public_fields_in_other_words_are_not_the_same() -> None:
    """A digest over stored bytes is only worth something if nobody can write them differently."""
    with pytest.raises(SealBroken):
        SEALS.decode_at(PLACE, STORED.replace(b'"at":7', b'"at": 7'))


def test_secrets_that_were_never_sealed_are_refused() -> None:
    """Who can write to the database could otherwise put any dice into it."""
    plain = b'{"server_link":null,"hands":[[6,6,6]],"at":7}'

    for reader in (SEALS, WITHOUT_KEYS):
        with pytest.raises(Malformed, match="its secrets are not sealed"):
            reader.decode_at(PLACE, plain)


def test_secrets_smuggled_in_beside_sealed_ones_are_not_read_without_the_key() -> None:
    smuggled = STORED.replace(b'{"at"', b'{"hands":[[6,6,6]],"at"')

    assert WITHOUT_KEYS.decode_at(PLACE, smuggled) == without_secrets(DEAL)
    with pytest.raises(SealBroken):
        SEALS.decode_at(PLACE, smuggled)


@pytest.mark.parametrize("sealed", [b"", b"x", KEYS.newest.id, KEYS.newest.id + bytes(27), KEYS.newest.id + bytes(28)])
def test_a_sealed_part_that_is_cut_short_is_refused(sealed: bytes) -> None:
    with pytest.raises(SealBroken):
        EventTranscoder(KEYS).decode_at(PLACE, with_sealed_bytes(STORED, sealed))


def test_no_other_spelling_of_the_same_sealed_bytes_is_taken() -> None:
    """Base64 leaves bits over: `QQ==` and `QR==` are the same byte."""
    padded = next(
        state
        for hands in (((1,),), ((1, 1),), ((1,), (1,)))
        if (state := SEALS.encode(GameEvent("game", 3, replace(DEAL, hands=hands)))).endswith(b'="}')
    )
    place = padded.rindex(padded.rstrip(b'="}')[-1:])
    respelled = padded[:place] + bytes([padded[place] + 1]) + padded[place + 1 :]
    assert sealed_bytes(respelled) == sealed_bytes(padded)

    with pytest.raises(SealBroken):
        SEALS.decode_at(PLACE, respelled)


def outcome(reader: EventTranscoder, place: Place, state: bytes) -> AnyEvent | Refusal:
    """What a reader makes of some bytes; anything but an event or a refusal fails the test."""
    try:
        return reader.decode_at(place, state)
    except Refusal as refusal:
        return refusal


@for_all(GAME_EVENTS, st.integers(min_value=0), st.integers(1, 255))
@settings(max_examples=extent(80, 3_000))
def test_a_single_changed_byte_is_refused_by_who_has_the_key(game_event: GameEvent, position: int, change: int) -> None:
    state = bytearray(SEALS.encode(game_event))
    state[position % len(state)] ^= change

    assert isinstance(outcome(SEALS, game_event.place, bytes(state)), SealBroken | KeyMissing | Malformed)


def test_every_single_changed_byte_is_refused_by_who_has_the_key() -> None:
    for position, byte in enumerate(STORED):
        for changed in set(range(256)) - {byte}:
            state = STORED[:position] + bytes([changed]) + STORED[position + 1 :]
            assert isinstance(outcome(SEALS, PLACE, state), Refusal)


@for_all(GAME_EVENTS, st.integers(min_value=0), st.binary(max_size=3))
def test_damage_gives_a_reader_without_the_key_an_event_without_secrets_or_a_refusal(
    game_event: GameEvent, position: int, junk: bytes
) -> None:
    state = SEALS.encode(game_event)
    place = position % len(state)

    read = outcome(WITHOUT_KEYS, game_event.place, state[:place] + junk + state[place + 1 :])

    assert isinstance(read, Refusal) or read == without_secrets(read)


@for_all(GAME_EVENTS, GAME_EVENTS)
def test_no_sealed_part_takes_the_place_of_another(one: GameEvent, other: GameEvent) -> None:
    swapped = with_sealed_bytes(SEALS.encode(one), sealed_bytes(SEALS.encode(other)))
    same_surroundings = one.place == other.place and without_secrets(one.event) == without_secrets(other.event)

    assert isinstance(outcome(SEALS, one.place, swapped), SealBroken) != same_surroundings


@for_all(st.lists(st.integers(0, 6), min_size=2, max_size=6), st.data())
def test_the_length_of_what_is_stored_tells_nothing_of_the_faces(counts: list[int], data: st.DataObject) -> None:
    """The number of dice of each seat is public; their faces and the server's link must not show in the length."""

    def state() -> bytes:
        hands = tuple(data.draw(st.tuples(*[FACES] * count)) for count in counts)
        return SEALS.encode(GameEvent("game", 3, DiceDealt(at=7, server_link=data.draw(LINKS), hands=hands)))

    assert len(state()) == len(state())


@for_all(st.integers(1, 5), LINKS, LINKS, st.data())
def test_nor_of_those_of_a_reroll(count: int, one_link: bytes, other_link: bytes, data: st.DataObject) -> None:
    hands: list[Hand] = [data.draw(st.tuples(*[FACES] * count)) for _ in range(2)]
    one, other = (
        SEALS.encode(GameEvent("game", 3, replace(REROLL, hand=hand, server_link=link)))
        for hand, link in zip(hands, (one_link, other_link), strict=True)
    )

    assert len(one) == len(other)


def spellings(secret: bytes) -> list[bytes]:
    """How bytes could show through: as they are, in hexadecimal, or in base64 at any of its three alignments."""
    shifted = [b64encode(bytes(shift) + secret)[4 if shift else 0 : -4] for shift in range(3)]
    return [secret, secret.hex().encode(), secret.hex().upper().encode(), *shifted]


@for_all(
    LINKS.filter(lambda link: len(set(link)) > 16),
    st.lists(st.tuples(*[FACES] * 5), min_size=4, max_size=6),
)
def test_neither_dice_nor_links_show_through_in_stored_bytes(link: bytes, hands: list[tuple[int, ...]]) -> None:
    state = SEALS.encode(GameEvent("game", 3, DiceDealt(at=7, server_link=link, hands=tuple(hands))))
    faces = bytes(face for hand in hands for face in hand)
    digits = "".join(map(str, faces)).encode()
    canaries = [*spellings(link), *spellings(faces), *spellings(digits), str(hands[0]).replace(" ", "")[1:-1].encode()]

    for stored in (state, sealed_bytes(state)):
        assert not [canary for canary in canaries if canary in stored]
        assert not [name for name in DiceDealt.SECRETS if name.encode() in stored]


def test_what_fits_no_topic_is_refused_before_anything_is_opened() -> None:
    with pytest.raises(EventTooNew, match=r"of the kind dice-dealt\.v9"):
        SEALS.decode_at(Place("game", 3, "dice-dealt.v9"), STORED)


@pytest.mark.parametrize("state", [b"", b"{}", b"[]", b"\xff", b',"sealed":""}', b'{,"sealed":""}', b'"sealed":"'])
def test_bytes_that_are_no_sealed_event_are_refused(state: bytes) -> None:
    for reader in (SEALS, WITHOUT_KEYS):
        with pytest.raises((Malformed, SealBroken)):
            reader.decode_at(PLACE, state)


def test_a_secret_part_that_is_no_event_is_refused_without_telling_it() -> None:
    """It has the right seal, so it was made with the key: still it is not told to whoever asked."""
    odd: Any = {"server_link": "canary", "hands": (("canary",),)}
    state = SEALS.encode(GameEvent("game", 3, DiceDealt(at=7, **odd)))

    with pytest.raises(Malformed) as refused:
        SEALS.decode_at(PLACE, state)

    assert "canary" not in str(refused.value)
