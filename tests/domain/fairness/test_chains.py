"""Hash chains: what a party commits to and reveals."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.fairness.chain import LINK_LENGTH, hashed, make_chain

SEEDS = st.binary(min_size=LINK_LENGTH, max_size=LINK_LENGTH)
LENGTHS = st.integers(0, 100)


@given(SEEDS, LENGTHS)
def test_every_link_hashes_to_the_one_before_it_and_the_first_to_the_anchor(seed: bytes, length: int) -> None:
    chain = make_chain(seed, "game", length)

    assert [hashed(chain.link(number), "game") for number in range(1, length + 1)] == [
        chain.anchor,
        *(chain.link(number) for number in range(1, length)),
    ][:length]


@given(SEEDS, LENGTHS, LENGTHS)
def test_a_link_leads_to_any_lower_one_in_as_many_steps_as_their_numbers_are_apart(
    seed: bytes, lower: int, steps: int
) -> None:
    chain = make_chain(seed, "game", lower + steps + 3)

    assert hashed(chain.link(lower + steps), "game", steps) == chain.link(lower)


@given(SEEDS, LENGTHS)
def test_the_last_link_is_the_seed(seed: bytes, length: int) -> None:
    assert make_chain(seed, "game", length).link(length) == seed


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 31, 32, 33, 100])
def test_the_anchor_is_the_seed_hashed_as_often_as_the_chain_is_long(length: int) -> None:
    """By hand, for lengths on both sides of a kept link."""
    link = seed = b"seed" * 8
    for _ in range(length):
        link = sha256(b"liarsdice.chain.v1" + b"\4game" + link).digest()

    assert make_chain(seed, "game", length).anchor == link


def test_no_link_comes_twice() -> None:
    chain = make_chain(b"s" * 32, "game", 500)

    assert len({chain.link(number) for number in range(501)}) == 501


@pytest.mark.parametrize("number", [-1, 11])
def test_there_is_no_link_before_the_anchor_or_after_the_seed(number: int) -> None:
    with pytest.raises(IndexError):
        make_chain(b"s" * 32, "game", 10).link(number)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_has_32_bytes(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        make_chain(b"s" * length, "game", 10)


def test_the_same_seed_in_another_game_makes_a_chain_that_has_no_link_in_common() -> None:
    one, other = make_chain(b"s" * 32, "game", 50), make_chain(b"s" * 32, "gamf", 60)

    assert {one.link(number) for number in range(50)}.isdisjoint(other.link(number) for number in range(60))


def test_the_same_seed_in_two_games_of_one_name_gives_its_links_away() -> None:
    """Why a seed serves one game only all the same: another server may call a game the same."""
    first, second = make_chain(b"s" * 32, "game", 10), make_chain(b"s" * 32, "game", 13)

    assert second.link(3) == first.anchor
    assert second.link(5) == first.link(2)
