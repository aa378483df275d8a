"""Checkpoints: those of other logs are read, those of ours written, and each has one spelling."""

from base64 import b64encode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.refusals import Malformed
from infra.log.checkpoints import (
    Checkpoint,
    OriginUnknown,
    open_checkpoint,
    read_checkpoint,
    read_proof,
    write_proof,
)
from infra.log.merkle import EMPTY_ROOT, SIZE_MAX
from infra.log.notes import Cosigner, Note, NoteSignatureWrong, NoteUnsigned, Signer, check_signed, read_note, read_vkey

GO_KEY = "sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"
GO_NOTES = [
    (
        "go.sum database tree\n30055305\nmXfgRcJ0bG0j3CPdKwgGWtUzBUbX67saZGRmFuJGGsM=\n\n"
        "— sum.golang.org Az3grpgEild5qw7+5dtV13Kf1C2Xurm8q4fhdxvcsDHnqNTaxL2AFjBY+2TyGKevucFcAAlWFJJYle3EJlDCrQ+y3A8=\n"
    ),
    (
        "go.sum database tree\n6476701\nmb8QLQIs0Z0yP5Cstq6guj87oXWeC9gEM8oVikmm9Wk=\n\n"
        "— sum.golang.org Az3grsLX85Gz+s1SiTbgkuqxgItqFq7gsMUEyVnrsa9LM7Us9S+1xbFIGu95949rj4nPRYfvimWEPWL+o3GeoWwOoAw=\n"
    ),
    (
        "go.sum database tree\n15067302\ngJyioq6dwR9n+NjEWORfYmH+ubeYm3kH42BBQ0bTpYI=\n\n"
        "— sum.golang.org Az3grp1rvWOs5NKlr/xR4GLN/CDyzzakmt1o61uSxYKpK1SerqOP2ClbX/peKUZjYnyomH5Xz7GZG3TpB7OeKn4E2ww=\n"
        "— test.example.com qTGhC/xIPQ0AXKHK6Y+9ypRfuvMZWPjRXM8NiOg5M1WREn07VQXyuIXM3NRNav3ieVFLUqDRK77PWDmL6w8w84UqeAw=\n"
    ),
]
ROOT = b64encode(EMPTY_ROOT).decode()
SIGNER = Signer("example.com/dice", bytes(range(32)))


def signed(checkpoint: Checkpoint, *signers: Signer) -> bytes:
    return bytes(Note(checkpoint.text, tuple(signer.sign(checkpoint.text) for signer in signers)))


@pytest.mark.parametrize("text", GO_NOTES, ids=["30055305", "6476701", "15067302"])
def test_checkpoints_of_the_go_checksum_database_are_read_and_checked(
    text: str, request: pytest.FixtureRequest
) -> None:
    note = read_note(text.encode())
    checkpoint = read_checkpoint(note.text)

    assert check_signed(note, [read_vkey(GO_KEY)])
    assert checkpoint.origin == "go.sum database tree"
    assert str(checkpoint.size) in request.node.name
    assert checkpoint.text == note.text
    assert bytes(note) == text.encode()


def test_a_checkpoint_is_opened_with_the_key_of_its_origin() -> None:
    checkpoint = Checkpoint("example.com/dice", 0, EMPTY_ROOT)
    content = signed(checkpoint, SIGNER)

    note, opened = open_checkpoint(content, [SIGNER.verifier])

    assert opened == checkpoint
    assert bytes(note) == content
    assert note.text == f"example.com/dice\n0\n{ROOT}\n"


def test_the_key_of_another_log_opens_nothing() -> None:
    """Or whoever has the key of one log could speak for all of them."""
    other = Signer("example.com/other", bytes(range(32)))
    content = signed(Checkpoint("example.com/dice", 0, EMPTY_ROOT), other)

    with pytest.raises(OriginUnknown, match=r"No key of the log example\.com/dice is known"):
        open_checkpoint(content, [other.verifier])
    with pytest.raises(NoteUnsigned, match=r"trusted keys are: example\.com/dice"):
        open_checkpoint(content, [other.verifier, SIGNER.verifier])


def test_a_witness_alone_does_not_make_a_checkpoint() -> None:
    checkpoint = Checkpoint("example.com/dice", 0, EMPTY_ROOT)
    witness = Cosigner("example.com/witness", bytes(32))
    note = Note(checkpoint.text, (witness.cosign(checkpoint.text, 5),))

    with pytest.raises(NoteUnsigned):
        open_checkpoint(bytes(note), [SIGNER.verifier, witness.verifier])


def test_a_checkpoint_that_was_changed_is_refused() -> None:
    content = signed(Checkpoint("example.com/dice", 12, EMPTY_ROOT), SIGNER)

    for changed in (content.replace(b"\n12\n", b"\n13\n"), content.replace(ROOT[:5].encode(), b"AAAAA")):
        with pytest.raises(NoteSignatureWrong):
            open_checkpoint(changed, [SIGNER.verifier])


def test_further_lines_are_kept_and_signed() -> None:
    text = f"a log\n{SIZE_MAX}\n{ROOT}\none more\n— and another\n"

    checkpoint = read_checkpoint(text)

    assert checkpoint == Checkpoint("a log", SIZE_MAX, EMPTY_ROOT, ("one more", "— and another"))
    assert checkpoint.text == text


@pytest.mark.parametrize(
    "size", ["", "00", "01", "+1", "-1", "1_000", " 1", "1 ", "1.0", "0x1", "²", "٣", "9" * 19, "9" * 5_000]
)
def test_a_size_is_a_number_as_it_is_written(size: str) -> None:
    with pytest.raises(Malformed, match="This is not a valid checkpoint"):
        read_checkpoint(f"a\n{size}\n{ROOT}\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\n\n\n",
        "a\n1\n",
        f"a\n1\n{ROOT}",
        f"\n1\n{ROOT}\n",
        f"a\n1\n{ROOT}\n\n",
        f"a\n1\n{ROOT}\n\nmore\n",
        f"a\n1\n{ROOT}\nmore",
        "a\n1\n\n",
        f"a\n1\n{ROOT[:-1]}\n",
        f"a\n1\n{ROOT}=\n",
        f"a\n1\n{b64encode(bytes(31)).decode()}\n",
        f"a\n1\n{b64encode(bytes(33)).decode()}\n",
        f"a\n1\n{ROOT[:-2]}V=\n",
        f"a\n1\n{EMPTY_ROOT.hex()}\n",
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(Malformed, match="This is not a valid checkpoint"):
        read_checkpoint(text)


@given(st.lists(st.sampled_from(["a", "\n", "0", "1", "12", ROOT, "=", "— "]), max_size=10).map("".join) | st.text())
@example(f"a\n1\n{ROOT}\nb\n")
def test_whatever_is_read_is_written_as_the_same_text(text: str) -> None:
    try:
        checkpoint = read_checkpoint(text)
    except Malformed:
        return
    assert checkpoint.text == text


@given(st.lists(st.binary(min_size=32, max_size=32), max_size=64))
def test_a_proof_is_a_text_with_a_hash_on_each_line(proof: list[bytes]) -> None:
    assert read_proof(write_proof(proof)) == tuple(proof)


@pytest.mark.parametrize(
    "content",
    [
        b"\n",
        ROOT.encode(),
        f"{ROOT}\n\n".encode(),
        f"{ROOT}\r\n".encode(),
        f" {ROOT}\n".encode(),
        f"{ROOT[4:]}\n".encode(),
        f"{ROOT}\n".encode() * 65,
        b"\xff\n",
    ],
)
def test_what_is_no_proof_is_refused(content: bytes) -> None:
    with pytest.raises(Malformed, match="This is not a valid proof: it takes at most 64 lines"):
        read_proof(content)
