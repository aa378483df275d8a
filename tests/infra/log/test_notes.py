"""Signed notes: what others have published is read, checked and written byte by byte, and nothing that is spoiled."""

import copy
import pickle
from base64 import b64decode, b64encode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.refusals import Malformed
from domain.shown_text import is_shown
from infra.log.notes import (
    NOTE_LENGTH_MAX,
    SIGNATURES_MAX,
    TIME_MAX,
    Algorithm,
    Cosigner,
    Note,
    NoteSignatureWrong,
    NoteUnsigned,
    Signature,
    Signer,
    Verifier,
    check_signed,
    cosigned_at,
    read_note,
    read_vkey,
)

# The example of Go's sumdb/note.
PETER_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_SEED = b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
PETER_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
PETER_VALUE = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
PETER_LINE = f"— PeterNeumann {PETER_VALUE}\n"
PETER_NOTE = f"{PETER_TEXT}\n{PETER_LINE}".encode()
ENOCH_KEY = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
ENOCH_LINE = (
    "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
)

# A cosignature that the tests of sigsum-go have.
WITNESS_SEED = bytes([17, *bytes(31)])
WITNESSED_TEXT = "example.org/log\n10\nHA5HAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
WITNESS_LINE = (
    "— example.org/witness "
    "ys8uUAAAAAAAAATSftMzceM8zssdZ9jin9SjwIxzx9iADMf63VqirX2hafol9RsqNqbofIz0LVRqHXI2kpEBSki5RTXFtxz1vo9+Cg==\n"
)

ORDER = 2**252 + 27742317777372353535851937790883648493
"""Of the group of Ed25519: the second half of a signature is below it."""
SEED = bytes(range(32))


def note_of(*lines: str, text: str = PETER_TEXT) -> bytes:
    return f"{text}\n{''.join(lines)}".encode()


def line_of(content: bytes, name: str = "PeterNeumann") -> str:
    return f"— {name} {b64encode(content).decode()}\n"


def test_the_published_note_is_read_checked_and_written() -> None:
    note = read_note(PETER_NOTE)
    verifier = read_vkey(PETER_KEY)

    assert note.text == PETER_TEXT
    assert check_signed(note, [verifier]) == (verifier,)
    assert bytes(note) == PETER_NOTE


def test_the_published_key_makes_the_published_signature() -> None:
    signer = Signer("PeterNeumann", PETER_SEED)

    assert signer.verifier == read_vkey(PETER_KEY)
    assert signer.verifier.vkey == PETER_KEY
    assert bytes(Note(PETER_TEXT, (signer.sign(PETER_TEXT),))) == PETER_NOTE


def test_several_keys_sign_one_note() -> None:
    peter, enoch = read_vkey(PETER_KEY), read_vkey(ENOCH_KEY)
    content = note_of(PETER_LINE, ENOCH_LINE)
    note = read_note(content)

    assert check_signed(note, [enoch, peter, enoch]) == (enoch, peter)
    assert check_signed(note, [peter]) == (peter,)
    assert bytes(note) == content


def test_the_published_cosignature_is_checked_and_made_again() -> None:
    cosigner = Cosigner("example.org/witness", WITNESS_SEED)
    note = read_note(note_of(WITNESS_LINE, text=WITNESSED_TEXT))

    assert cosigner.cosign(WITNESSED_TEXT, 1234).line == WITNESS_LINE
    assert check_signed(note, [cosigner.verifier]) == (cosigner.verifier,)
    assert cosigned_at(note.signatures[0]) == 1234
    assert read_vkey(cosigner.verifier.vkey) == cosigner.verifier
    assert cosigner.verifier.algorithm is Algorithm.COSIGNATURE


def test_a_cosignature_is_for_its_time_alone() -> None:
    cosigner = Cosigner("witness", SEED)
    cosignature = cosigner.cosign(WITNESSED_TEXT, TIME_MAX)
    earlier = Signature("witness", cosignature.key_id, bytes(8) + cosignature.signature[8:])
    too_late = Signature("witness", cosignature.key_id, b"\x80" + bytes(7) + cosignature.signature[8:])

    assert cosigner.verifier.verifies(WITNESSED_TEXT, cosignature)
    assert not cosigner.verifier.verifies(WITNESSED_TEXT, earlier)
    assert not cosigner.verifier.verifies(WITNESSED_TEXT, too_late)
    assert (cosigned_at(earlier), cosigned_at(too_late)) == (0, None)
    assert cosigned_at(Signer("witness", SEED).sign(WITNESSED_TEXT)) is None


def test_the_two_kinds_of_signatures_never_pass_for_each_other() -> None:
    signer, cosigner = Signer("a", SEED), Cosigner("a", SEED)
    signed, cosigned = signer.sign(WITNESSED_TEXT), cosigner.cosign(WITNESSED_TEXT, 7)

    assert signed.key_id != cosigned.key_id
    assert not signer.verifier.verifies(WITNESSED_TEXT, Signature("a", signed.key_id, cosigned.signature))
    assert not signer.verifier.verifies(WITNESSED_TEXT, Signature("a", signed.key_id, cosigned.signature[8:]))
    assert not cosigner.verifier.verifies(WITNESSED_TEXT, Signature("a", cosigned.key_id, signed.signature))
    assert not cosigner.verifier.verifies(WITNESSED_TEXT, Signature("a", cosigned.key_id, bytes(8) + signed.signature))


def test_signatures_of_unknown_keys_are_kept_and_say_nothing() -> None:
    """Also if they share the name or the id with a known key."""
    other_id = line_of(b"none" + bytes(64))
    other_name = f"— peterneumann {PETER_VALUE}\n"
    quantum = line_of(b"long" + bytes(2420), name="example.com/später")
    content = note_of(other_id, PETER_LINE, other_name, quantum)

    note = read_note(content)

    assert [signature.name for signature in note.signatures] == [
        "PeterNeumann",
        "PeterNeumann",
        "peterneumann",
        "example.com/später",
    ]
    assert check_signed(note, [read_vkey(PETER_KEY)])
    assert bytes(note) == content
    with pytest.raises(NoteUnsigned, match="the trusted keys are: EnochRoot"):
        check_signed(note, [read_vkey(ENOCH_KEY)])
    with pytest.raises(NoteUnsigned, match="trusted keys are: none"):
        check_signed(note, [])


def test_a_wrong_signature_of_a_known_key_spoils_the_note_also_beside_a_good_one() -> None:
    spoiled = line_of(b64decode(PETER_VALUE)[:4] + bytes(64))

    for lines in ([spoiled], [spoiled, PETER_LINE], [PETER_LINE, spoiled], [ENOCH_LINE, spoiled]):
        with pytest.raises(NoteSignatureWrong, match="in the name of PeterNeumann that this key did not make"):
            check_signed(read_note(note_of(*lines)), [read_vkey(ENOCH_KEY), read_vkey(PETER_KEY)])


def test_no_bit_of_a_note_can_be_changed() -> None:
    verifier = read_vkey(PETER_KEY)
    for bit in range(len(PETER_NOTE) * 8):
        changed = bytearray(PETER_NOTE)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises((Malformed, NoteUnsigned, NoteSignatureWrong)):
            check_signed(read_note(bytes(changed)), [verifier])


def test_a_signature_has_no_second_spelling() -> None:
    content = b64decode(PETER_VALUE)
    second_half = int.from_bytes(content[36:], "little")
    larger = content[:36] + (second_half + ORDER).to_bytes(32, "little")
    verifier = read_vkey(PETER_KEY)
    assert second_half < ORDER

    for other in (larger, content + b"\0", content[:-1], content[:5]):
        with pytest.raises(NoteSignatureWrong):
            check_signed(read_note(note_of(line_of(other))), [verifier])
    for value in (PETER_VALUE[:-2] + "N=", PETER_VALUE[:-1], PETER_VALUE + "=", PETER_VALUE.replace("/", "_")):
        with pytest.raises(Malformed, match="signature 1 is no base64"):
            read_note(note_of(f"— PeterNeumann {value}\n"))


MALFORMED = {
    "nothing": b"",
    "only a text": PETER_TEXT.encode(),
    "no text": f"\n{PETER_LINE}".encode(),
    "no signature": f"{PETER_TEXT}\n".encode(),
    "no empty line": (PETER_TEXT + PETER_LINE).encode(),
    "no last new line": PETER_NOTE[:-1],
    "a line too many": PETER_NOTE + b"\n",
    "text after the signatures": PETER_NOTE + b"more\n",
    "a hyphen for the dash": note_of(PETER_LINE.replace("—", "-")),
    "a shorter dash": note_of(PETER_LINE.replace("—", "\u2013")),
    "no space after the dash": note_of(PETER_LINE.replace("— ", "—")),
    "two spaces after the dash": note_of(PETER_LINE.replace("— ", "—  ")),
    "two spaces after the name": note_of(PETER_LINE.replace("Neumann ", "Neumann  ")),
    "a space at the end": note_of(PETER_LINE.replace("\n", " \n")),
    "a return at the end": note_of(PETER_LINE.replace("\n", "\r\n")),
    "no name": note_of(f"—  {PETER_VALUE}\n"),
    "no signature after the name": note_of("— PeterNeumann\n"),
    "an empty signature after the name": note_of("— PeterNeumann \n"),
    "a plus in the name": note_of(PETER_LINE.replace("rN", "r+N")),
    "a wide space in the name": note_of(PETER_LINE.replace("rN", "r\u2003N")),
    "a line separator in the name": note_of(PETER_LINE.replace("rN", "r\u2028N")),
    "only an id": note_of(line_of(b"1234")),
    "less than an id": note_of(line_of(b"123")),
    "a tab in the text": note_of(PETER_LINE, text="a\tb\n"),
    "a return in the text": note_of(PETER_LINE, text="a\r\n"),
    "a null in the text": note_of(PETER_LINE, text="\0\n"),
    "no UTF-8": b"\xff\n\n" + PETER_LINE.encode(),
    "half a pair of code units": b"\xed\xa0\x80\n\n" + PETER_LINE.encode(),
    "too many signatures": note_of(*[PETER_LINE] * (SIGNATURES_MAX + 1)),
    "too many bytes": note_of(PETER_LINE, text="a" * NOTE_LENGTH_MAX + "\n"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_note_is_refused(name: str) -> None:
    with pytest.raises(Malformed, match="This is not a valid signed note: "):
        read_note(MALFORMED[name])


@pytest.mark.parametrize("text", ["\n", "\n\n\n", "a\n\nb\n", "a\n\n", f"{PETER_NOTE.decode()}", "\x7f\u0085\ufeff\n"])
def test_any_other_text_that_ends_with_a_new_line_can_be_signed(text: str) -> None:
    signer = Signer("a", SEED)
    content = bytes(Note(text, (signer.sign(text),)))

    assert read_note(content).text == text
    assert check_signed(read_note(content), [signer.verifier])


def test_as_many_signatures_as_are_allowed_are_read() -> None:
    content = note_of(PETER_LINE, *[line_of(b"long" + bytes(2420), name=str(number)) for number in range(64)])

    assert len(read_note(content).signatures) == 65
    assert len(read_note(note_of(*[PETER_LINE] * SIGNATURES_MAX)).signatures) == SIGNATURES_MAX


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@example(PETER_NOTE)
def test_whatever_is_read_is_written_as_the_same_bytes(content: bytes) -> None:
    try:
        note = read_note(content)
    except Malformed:
        return
    assert bytes(note) == content


PIECES = st.sampled_from(
    ["\n", "\n\n", "— ", "a", " ", "+", "AAAAAAA=", PETER_VALUE, PETER_LINE, PETER_TEXT, "é", "\r"]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_whatever_is_put_together_from_the_parts_of_a_note_is_refused_or_written_as_the_same_bytes(text: str) -> None:
    try:
        note = read_note(text.encode())
    except Malformed:
        return
    assert bytes(note) == text.encode()
    signed = {line for line in text.split("\n") if line == PETER_LINE[:-1]} and note.text == PETER_TEXT
    try:
        assert check_signed(note, [read_vkey(PETER_KEY)])
    except (NoteUnsigned, NoteSignatureWrong):
        assert not signed
    else:
        assert signed


NAMES = st.text(st.characters(exclude_characters=" +"), min_size=1, max_size=255).filter(is_shown)


@given(NAMES, st.binary(min_size=32, max_size=32), st.text().filter(lambda text: text.isprintable()))
def test_what_any_key_signs_verifies_with_its_public_part_and_no_other(name: str, seed: bytes, text: str) -> None:
    signer, other = Signer(name, seed), Signer(name, bytes([seed[0] ^ 1, *seed[1:]]))
    note = read_note(bytes(Note(f"{text}\n", (signer.sign(f"{text}\n"),))))

    assert check_signed(note, [read_vkey(signer.verifier.vkey)]) == (signer.verifier,)
    with pytest.raises(NoteUnsigned):
        check_signed(note, [other.verifier])
    forged = Signature(name, other.verifier.key_id, note.signatures[0].signature)
    assert not other.verifier.verifies(note.text, forged)


VKEYS = {
    "nothing": "",
    "a name": "PeterNeumann",
    "no name": PETER_KEY.removeprefix("PeterNeumann"),
    "two parts": "PeterNeumann+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
    "another id": PETER_KEY.replace("c74f20a3", "c74f20a4"),
    "another name": PETER_KEY.replace("Peter", "Paul"),
    "an id in capitals": PETER_KEY.replace("c74f20a3", "C74F20A3"),
    "a space in the name": PETER_KEY.replace("rN", "r N"),
    "a space at the end": f"{PETER_KEY} ",
    "a new line at the end": f"{PETER_KEY}\n",
    "a character less": PETER_KEY[:-1],
    "a character that is not ASCII": PETER_KEY[:-1] + "é",
    "a kind that is not known": PETER_KEY.replace("+ARpc", "+Ahpc"),
    "a private key": "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz",
    "half a pair of code units": PETER_KEY.replace("rN", "r\udc80N"),
}


@pytest.mark.parametrize("name", VKEYS)
def test_what_is_no_key_is_refused(name: str) -> None:
    with pytest.raises(Malformed, match="This is not a valid key that verifies: "):
        read_vkey(VKEYS[name])


@given(st.text() | st.lists(st.sampled_from(["a", "+", "c74f20a3", "AR", PETER_KEY]), max_size=6).map("".join))
def test_a_key_has_one_spelling(text: str) -> None:
    try:
        verifier = read_vkey(text)
    except Malformed:
        return
    assert verifier.vkey == text


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\nb", "a\0", "\udc80", "\u00a0"])
def test_nobody_signs_with_a_name_that_could_not_be_read(name: str) -> None:
    for kind in (Signer, Cosigner):
        with pytest.raises(Malformed):
            kind(name, SEED)


@pytest.mark.parametrize("content", [bytes(32), b"\xff" * 32, bytes([1, *bytes(31)]), bytes([2, *bytes(31)])])
def test_a_public_key_that_is_none_verifies_nothing_that_was_signed(content: bytes) -> None:
    verifier = Verifier("a", Algorithm.ED25519, content)
    signature = Signature("a", verifier.key_id, Signer("a", SEED).sign(PETER_TEXT).signature)

    assert not verifier.verifies(PETER_TEXT, signature)
    assert not verifier.verifies(PETER_TEXT, Signature("a", verifier.key_id, b""))


@pytest.mark.parametrize("key", [Signer("a", SEED), Cosigner("a", SEED)], ids=["signer", "cosigner"])
def test_a_private_key_is_not_shown_pickled_or_copied(key: Signer | Cosigner) -> None:
    shown = f"{key!r} {key} {[key]}"

    assert repr(key) == f"{type(key).__name__}({key.verifier.vkey})"
    assert not hasattr(key, "__dict__")
    for spelling in (SEED.hex(), b64encode(SEED).decode(), repr(SEED)[2:-1], str(list(SEED))):
        assert spelling not in shown
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="can't be pickled or copied"):
            attempt(key)
