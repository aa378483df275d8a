"""Receipts: one signature for many commands, each of which can be checked alone, and which nothing else can pass for."""

from collections.abc import Iterator
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.refusals import Malformed
from infra.log.checkpoints import open_checkpoint
from infra.log.notes import Cosigner, Signer
from infra.log.receipts import Accepted, Receipt, read_receipt, sign_receipts

SIGNER = Signer("dice.example/log", b"s" * 32)
KEY = SIGNER.verifier


def commands(count: int) -> list[Accepted]:
    return [Accepted(f"game-{n}", n + 1, sha256(bytes([n])).digest()) for n in range(count)]


def forged(receipt: Receipt) -> Iterator[Receipt]:
    """The receipt with each of its parts changed."""
    yield replace(receipt, version=receipt.version + 1)
    yield replace(receipt, digest=bytes(32))
    yield replace(receipt, salt=bytes(16))
    yield replace(receipt, index=receipt.index ^ 1)
    yield replace(receipt, size=receipt.size + 1)
    yield replace(receipt, size=0)
    yield replace(receipt, key_id=bytes(4))
    yield replace(receipt, signature=bytes(64))
    yield replace(receipt, path=(*receipt.path, bytes(32)))
    yield replace(receipt, path=receipt.path[:-1] if receipt.path else (bytes(32),))


@given(st.integers(1, 40))
def test_each_command_of_a_batch_has_a_receipt_that_holds_alone(count: int) -> None:
    accepted = commands(count)
    receipts = [read_receipt(one) for one in sign_receipts(accepted, SIGNER)]

    assert len({receipt.signature for receipt in receipts}) == 1
    for command, receipt in zip(accepted, receipts, strict=True):
        assert (receipt.version, receipt.digest) == (command.version, command.digest)
        assert receipt.is_signed_by(KEY, command.game_id)
        assert not receipt.is_signed_by(KEY, "another-game")


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_receipt_that_was_changed_is_not_signed(count: int) -> None:
    for command, content in zip(commands(count), sign_receipts(commands(count), SIGNER), strict=True):
        receipt = read_receipt(content)
        assert bytes(receipt) == content
        assert not any(other.is_signed_by(KEY, command.game_id) for other in forged(receipt))


@pytest.mark.parametrize("length", [0, 131, 133, 132 + 31, 132 + 17 * 32])
def test_bytes_of_another_length_are_no_receipt(length: int) -> None:
    with pytest.raises(Malformed):
        read_receipt(bytes(length))


def test_only_the_key_that_it_names_and_no_key_of_a_witness_makes_it_good() -> None:
    (content,) = sign_receipts(commands(1), SIGNER)
    witness = Cosigner("dice.example/log", b"s" * 32)

    for key in (Signer("dice.example/log", b"t" * 32).verifier, witness.verifier):
        assert not read_receipt(content).is_signed_by(key, "game-0")
        assert not replace(read_receipt(content), key_id=key.key_id).is_signed_by(key, "game-0")


def test_what_is_signed_for_receipts_can_be_no_checkpoint_and_no_note() -> None:
    """A zero byte is in every statement. A note with one is refused before its signature is looked at."""
    statements: list[bytes] = []

    class Listening(Signer):
        def sign_statement(self, statement: bytes) -> bytes:
            statements.append(statement)
            return super().sign_statement(statement)

    listening = Listening("liarsdice.receipts.v1", b"s" * 32)
    for count in (1, 3, 40):
        sign_receipts(commands(count), listening)
    for statement in statements:
        assert b"\0" in statement
        note = statement + b"\n\n" + listening.sign("x\n").line.encode()
        with pytest.raises(Malformed):
            open_checkpoint(note, [listening.verifier])
    with pytest.raises(AssertionError):
        SIGNER.sign_statement(b"dice.example/log\n1\n")


def test_the_path_of_a_receipt_does_not_let_its_owner_try_out_what_others_did() -> None:
    """Without the salt of a leaf, nobody can compute its hash from a guessed move."""
    mine, other = commands(2)
    path = {read_receipt(sign_receipts([mine, other], SIGNER)[0]).path for _ in range(20)}

    assert len(path) == 20
