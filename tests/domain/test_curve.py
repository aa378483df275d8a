"""Which 32 bytes are a public key of Ed25519 that can be used."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.curve import problem_of_key

P = 2**255 - 19
SMALL_ORDER = (
    1,
    P - 1,
    0,
    2**255,
    2707385501144840649318225287225658788936804267575313519463743609750303402022,
    55188659117513257062467267217118295137698188065244968500265048394206261417927,
)
"""RFC 8032's neutral point, and points of order 2, 4 and 8."""


def written(number: int) -> bytes:
    return number.to_bytes(32, "little")


def test_every_key_that_a_library_makes_can_be_used() -> None:
    for seed in range(200):
        key = Ed25519PrivateKey.from_private_bytes(written(seed)).public_key().public_bytes_raw()
        assert problem_of_key(key) is None


@pytest.mark.parametrize("number", SMALL_ORDER)
def test_a_point_of_small_order_is_refused(number: int) -> None:
    assert "small order" in (problem_of_key(written(number)) or "")


@pytest.mark.parametrize("number", [P, P + 1, 2**255 - 1, 2**256 - 1])
def test_a_point_has_only_one_form(number: int) -> None:
    assert "one form" in (problem_of_key(written(number)) or "")


def test_about_half_of_all_numbers_are_no_point() -> None:
    problems = [problem_of_key(written(number)) for number in range(2, 202)]

    assert 60 < problems.count("is no point of the curve") < 140
    assert problem_of_key(written(2**255 + 1)) == "is no point of the curve"
    assert problem_of_key(b"short") == "has 5 bytes"
