"""Whatever byte of a bundle is changed, it no longer verifies."""

from collections.abc import Iterator
from itertools import count
from random import Random

import pytest

from domain.options import Options
from services.simulation.simulation import Setup
from services.verifier import Failed, verify
from tests.verifier.games import bundle, played, stored
from tests.verifier.log import SERVER, WITNESSING

BYTES_MAX = 7_000
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


def case(name: str) -> bytes:
    """A small bundle in which what it is about happens."""
    setup, number, needed, signers = CASES[name]
    bundles = (bundle(stored(played(setup, f"bytes-{index}")), number, signers) for index in count())
    return next(data for data in bundles if needed.encode() in data and len(data) < BYTES_MAX)


def changes(data: bytes, chance: Random) -> Iterator[tuple[int, bytes]]:
    """Every byte changed in one way or another: a bit flipped, another value, left out, one before it."""
    for place, byte in enumerate(data):
        head, tail = data[:place], data[place + 1 :]
        bit, another = byte ^ 1 << chance.randrange(8), chance.randrange(256)
        yield place, head + chance.choice((bytes([bit]), bytes([another]), b"", bytes([another, byte]))) + tail
    yield len(data), data + b"\n"


def verifies(data: bytes, witness_keys: list[str]) -> bool:
    try:
        verify(data, SERVER.key, witness_keys)
    except Failed:
        return False
    return True


@pytest.mark.parametrize("name", CASES)
def test_any_change_of_a_byte_is_found(name: str) -> None:
    data = case(name)
    witness_keys = [WITNESSING.key] if b"witness" in data else []
    assert verifies(data, witness_keys)

    missed = [
        place for place, changed in changes(data, Random(name)) if changed != data and verifies(changed, witness_keys)
    ]

    assert missed == []


def test_only_the_line_of_a_witness_whose_key_was_not_given_may_change() -> None:
    data = case("a round with a witness")
    line = data.index("— witness".encode())
    end = data.index(b"\\n", line)
    others = ((place, changed) for place, changed in changes(data, Random(1)) if place > data.index(b"checkpoint"))
    places = {place for place, changed in others if changed != data and verifies(changed, [])}

    assert places
    assert all(line <= place <= end for place in places)
