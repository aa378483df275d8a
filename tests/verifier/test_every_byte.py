"""Whatever byte of a bundle is changed, it no longer verifies."""

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from domain.options import Options
from services.simulation.simulation import Setup
from services.verifier import Failed, verify
from tests.extent import extent
from tests.verifier.games import bundle, played, stored
from tests.verifier.log import SERVER, WITNESSING

GAMES, PARTS = 60, 4
PARTS_TRIED = extent(1, PARTS)
"""Each part has every fourth byte, so it reaches every field."""
CASES = {
    "a game of palafico": (Setup("palafico", Options(dice_each=1), 2), None, "game-ended", (SERVER,)),
    "a round with a reroll": (
        Setup("bidding-track", Options(dice_each=2, chips=True), 2),
        1,
        "dice-rerolled",
        (SERVER,),
    ),
    "a round with a witness": (Setup("single-hand", Options(dice_each=1), 2), 1, "bid-placed", (SERVER, WITNESSING)),
}


@cache
def case(name: str) -> bytes:
    """The smallest bundle of some games in which what it is about happens: so many bytes are changed soon enough."""
    setup, number, needed, signers = CASES[name]
    bundles = (bundle(stored(played(setup, f"bytes-{index}")), number, signers) for index in range(GAMES))
    return min((data for data in bundles if needed.encode() in data), key=len)


def changes(data: bytes, chance: Random, places: range) -> Iterator[tuple[int, bytes]]:
    """Each of these bytes changed in five ways: the lowest or the highest bit flipped, another value, left out, one before it."""
    for place in places:
        head, byte, tail = data[:place], data[place], data[place + 1 :]
        for other in (byte ^ 1, byte ^ 0x80, chance.randrange(256)):
            yield place, head + bytes([other]) + tail
        yield place, head + tail
        yield place, head + bytes([chance.randrange(256), byte]) + tail


def verifies(data: bytes, witness_keys: list[str]) -> bool:
    try:
        verify(data, SERVER.key, witness_keys)
    except Failed:
        return False
    return True


@pytest.mark.at_length
@pytest.mark.parametrize("part", range(PARTS_TRIED))
@pytest.mark.parametrize("name", CASES)
def test_any_change_of_a_byte_is_found(name: str, part: int) -> None:
    data = case(name)
    witness_keys = [WITNESSING.key] if b"witness" in data else []
    assert verifies(data, witness_keys)
    assert not verifies(data + b"\n", witness_keys)

    changed = changes(data, Random(f"{name} {part}"), range(part, len(data), PARTS))
    missed = [place for place, other in changed if other != data and verifies(other, witness_keys)]

    assert missed == []


def test_only_the_line_of_a_witness_whose_key_was_not_given_may_change() -> None:
    data = case("a round with a witness")
    line = data.index("— witness".encode())
    end = data.index(b"\\n", line)
    changed = changes(data, Random(1), range(data.index(b"checkpoint") + 1, len(data)))
    places = {place for place, other in changed if other != data and verifies(other, [])}

    assert places
    assert all(line <= place <= end for place in places)
