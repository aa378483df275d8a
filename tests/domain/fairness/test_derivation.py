"""From links to dice: the key is HKDF, and every number is equally likely."""

import hmac
from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise, product

import pytest

from domain.fairness.derivation import deal_key, drawn, first_transcript, hand, next_transcript
from tests.domain.fairness.chance import is_even

LINKS = ((0, b"a" * 32), (1, b"b" * 32), (4, b"c" * 32))


def keys(number: int) -> Iterator[bytes]:
    """So many fixed keys."""
    return (sha256(index.to_bytes(4, "big")).digest() for index in range(number))


def hkdf(salt: bytes, material: bytes, info: bytes, length: int) -> bytes:
    """HKDF-SHA256 as RFC 5869, sections 2.2 and 2.3, describes it."""
    extracted = hmac.digest(salt, material, "sha256")
    expanded, block = b"", b""
    for counter in range(1, -(-length // 32) + 1):
        block = hmac.digest(extracted, block + info + bytes([counter]), "sha256")
        expanded += block
    return expanded[:length]


def test_the_reference_hkdf_passes_test_case_1_of_rfc_5869() -> None:
    assert hkdf(bytes(range(13)), b"\x0b" * 22, bytes(range(0xF0, 0xFA)), 42) == bytes.fromhex(
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    )


def test_the_key_of_a_deal_is_hkdf_of_all_links_for_its_number_salted_with_the_transcript() -> None:
    transcript, server_link = b"t" * 32, b"s" * 32

    key = deal_key(transcript, 258, server_link, LINKS)

    material = b"s" * 32 + b"a" * 32 + b"b" * 32 + b"c" * 32
    assert key == hkdf(transcript, material, b"liarsdice.deal.v1\0\0\1\2", 32)


def test_the_first_transcript_binds_the_game_and_every_anchor_with_its_seat() -> None:
    base = first_transcript("game", b"s" * 32, (b"a" * 32, b"b" * 32))

    others = {
        first_transcript("gamf", b"s" * 32, (b"a" * 32, b"b" * 32)),
        first_transcript("game", b"t" * 32, (b"a" * 32, b"b" * 32)),
        first_transcript("game", b"s" * 32, (b"b" * 32, b"a" * 32)),
        first_transcript("game", b"s" * 32, (b"a" * 32,)),
        first_transcript("games", b"s" * 31, (b"a" * 32, b"b" * 32)),
    }

    assert len(others | {base}) == 6


def test_the_next_transcript_binds_the_number_of_the_links_and_each_link_with_its_seat() -> None:
    base = next_transcript(b"t" * 32, 7, LINKS)

    assert base == sha256(b"t" * 32 + b"\0\0\0\7" + b"\0" + b"a" * 32 + b"\1" + b"b" * 32 + b"\4" + b"c" * 32).digest()
    assert next_transcript(b"t" * 32, 8, LINKS) != base
    assert next_transcript(b"t" * 32, 7, ((1, b"a" * 32), *LINKS[1:])) != base
    assert next_transcript(b"t" * 32, 7, LINKS[:2]) != base


def first_byte(key: bytes, label: bytes, index: int = 0) -> int:
    return hmac.digest(key, label + bytes(4), "sha256")[index]


def test_bytes_from_252_on_are_skipped_because_they_would_favour_low_faces() -> None:
    """A key is searched whose first byte would do so; the die is made from the byte after it."""
    label = b"die" + bytes((3, 0))
    key = next(key for key in keys(10_000) if first_byte(key, label) >= 252 > first_byte(key, label, 1))

    assert hand(key, 3, 1) == (1 + first_byte(key, label, 1) % 6,)


def test_251_is_the_highest_byte_that_makes_a_die() -> None:
    label = b"die" + bytes((0, 0))
    key = next(key for key in keys(10_000) if first_byte(key, label) == 251)

    assert hand(key, 0, 1) == (6,)


@pytest.mark.parametrize("seats", [3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20])
def test_a_draw_skips_the_bytes_beyond_the_last_whole_multiple_of_the_seats(seats: int) -> None:
    limit = 256 - 256 % seats
    key = next(key for key in keys(50_000) if first_byte(key, b"opener") >= limit > first_byte(key, b"opener", 1))

    assert drawn(key, tuple(range(seats))) == first_byte(key, b"opener", 1) % seats


def test_when_a_whole_block_is_skipped_the_next_block_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key is known for which this happens: it takes 32 high bytes in a row."""

    class FirstBlocksFull:
        def __init__(self, key: bytes = b"", digestmod: str = "", label: bytes = b"") -> None:
            self.key, self.digestmod, self.label = key, digestmod, label

        def copy(self) -> "FirstBlocksFull":
            return FirstBlocksFull(self.key, self.digestmod)

        def update(self, label: bytes) -> None:
            self.label += label

        def digest(self) -> bytes:
            block = int.from_bytes(self.label[-4:], "big")
            return b"\xff" * 32 if block < 2 else hmac.digest(self.key, self.label, self.digestmod)

    monkeypatch.setattr("domain.fairness.derivation.hmac.new", FirstBlocksFull)

    expected = next(byte for byte in hmac.digest(b"k", b"die\5\0\0\0\0\2", "sha256") if byte < 252)
    assert hand(b"k", 5, 1) == (1 + expected % 6,)


def test_a_hundred_thousand_dice_are_even_for_each_place_and_in_pairs() -> None:
    hands = [hand(key, seat, 5) for key, seat in product(keys(4_000), range(5))]

    assert sum(len(dice) for dice in hands) == 100_000
    assert is_even((die for dice in hands for die in dice), 6)
    assert all(is_even((dice[place] for dice in hands), 6) for place in range(5))
    assert is_even(((dice[0], dice[1]) for dice in hands), 36)
    assert is_even(((one[0], other[0]) for one, other in pairwise(hands)), 36)


@pytest.mark.parametrize("seats", range(2, 21))
def test_every_seat_is_drawn_equally_often(seats: int) -> None:
    assert is_even((drawn(key, tuple(range(seats))) for key in keys(10_000)), seats)


def test_a_draw_is_among_the_seats_that_take_part() -> None:
    assert {drawn(key, (2, 5, 11)) for key in keys(100)} == {2, 5, 11}


def test_a_die_does_not_depend_on_how_many_there_are() -> None:
    assert all(hand(b"k" * 32, 1, number) == hand(b"k" * 32, 1, 10)[:number] for number in range(11))


def test_the_evenness_test_itself_finds_what_is_uneven() -> None:
    """Faces made of all 256 bytes, none skipped, are told from fair ones once there are enough of them."""
    assert not is_even([byte % 6 for byte in range(256)] * 4_000, 6)
    assert not is_even([1, 2, 3, 4, 5] * 100, 6)
