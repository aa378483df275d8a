"""The check `checkpoint`: the signed note about the log has all required signatures (audit-format.md, "The log").

The note is read as C2SP's signed-note and tlog-checkpoint say.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .characters import is_shown
from .failure import Failed
from .form import decoded
from .keys import NAME_LENGTH_MAX, Key, is_key_name, is_signed_by, read_key
from .kinds import NUMBER_MAX

SIGNATURE, COSIGNATURE = 0x01, 0x04
KEY_ID_BYTES = 4
TIME_BYTES = 8
COSIGNATURE_BYTES = TIME_BYTES + 64
HASH_BYTES = 32
LINES_MIN = 3
NOTE_BYTES_MAX = 1 << 18
SIGNATURES_MAX = 100
DASH = "\u2014 "
_SIZE = re.compile(r"0|[1-9][0-9]{0,15}")


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """A line under a note: the name of a key, its id, and the signature that it made, which may begin with a time."""

    name: str
    key_id: bytes
    content: bytes


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A C2SP tlog-checkpoint: how many leaves the log of an origin has and their root, with signatures."""

    text: str
    """The lines that are signed. Those after the first three mean nothing here."""
    origin: str
    size: int
    root: bytes
    signatures: tuple[NoteSignature, ...]

    def made_by(self, key: Key) -> list[bytes]:
        """The signatures that have the name and the id of a key."""
        return [one.content for one in self.signatures if (one.name, one.key_id) == (key.name, key.key_id)]


def read_checkpoint(note: str) -> Checkpoint:
    """The checkpoint in a note."""
    _need_form(len(note.encode()) <= NOTE_BYTES_MAX, f"has more than {NOTE_BYTES_MAX} bytes")
    _need_form(is_shown(note.replace("\n", "")), "has a character that is not allowed in a text")
    # The text may have empty lines, so the last one ends it (signed-note, "Format").
    text, _, below = note.rpartition("\n\n")
    _need_form(text and below.endswith("\n"), "does not end with an empty line and lines of signatures")
    origin, size, root = _read_text(text.split("\n"))
    return Checkpoint(f"{text}\n", origin, size, root, _read_signatures(below[:-1].split("\n")))


def _read_text(lines: list[str]) -> tuple[str, int, bytes]:
    """The origin, the size and the root, which are the first three lines. More may follow, but no empty one."""
    _need_form(len(lines) >= LINES_MIN and all(lines), "does not begin with three lines, or has an empty one")
    origin, size, root = lines[:LINES_MIN]
    _need_form(len(origin) <= NAME_LENGTH_MAX, f"has an origin of more than {NAME_LENGTH_MAX} characters")
    fits = _SIZE.fullmatch(size) and int(size) <= NUMBER_MAX
    _need_form(fits, f"has a second line that is not a whole number from 0 to {NUMBER_MAX}")
    content = decoded(root) or b""
    _need_form(len(content) == HASH_BYTES, f"has a third line that is not the base64 of {HASH_BYTES} bytes")
    return origin, int(size), content


def _read_signatures(lines: list[str]) -> tuple[NoteSignature, ...]:
    """The signatures in the lines below the text, one in each line."""
    _need_form(len(lines) <= SIGNATURES_MAX, f"has more than {SIGNATURES_MAX} signatures")
    return tuple(_read_signature(number, line) for number, line in enumerate(lines, 1))


def _read_signature(number: int, line: str) -> NoteSignature:
    """The signature in a line. It begins with the id of its key."""
    name, _, encoded = line.removeprefix(DASH).partition(" ")
    content = decoded(encoded) or b""
    is_signature = line.startswith(DASH) and is_key_name(name) and len(content) > KEY_ID_BYTES
    _need_form(is_signature, f"has no signature in line {number} below its text")
    return NoteSignature(name, content[:KEY_ID_BYTES], content[KEY_ID_BYTES:])


def _need_form(holds: object, problem: str) -> None:
    """Fail the check `form` unless something holds."""
    if not holds:
        raise Failed("form", f"The checkpoint {problem}.")


@dataclass(frozen=True, slots=True)
class Signers:
    """The keys whose signatures under a checkpoint were checked."""

    server: list[Key]
    witnesses: list[Key]

    def has_unchecked(self, checkpoint: Checkpoint) -> bool:
        """Whether there are signatures of other keys."""
        checked = {(key.name, key.key_id) for key in (*self.server, *self.witnesses)}
        return any((one.name, one.key_id) not in checked for one in checkpoint.signatures)


def check_signers(checkpoint: Checkpoint, own: str, given: str | None, witness_keys: Sequence[str]) -> Signers:
    """The key in the bundle has signed the checkpoint, and so have the given keys of the server and of witnesses."""
    server = [_read_key(own, "The key in the bundle")]
    server += [_read_key(given, "The given key")] if given is not None and given != own else []
    witnesses = [_read_key(text, "A given key of a witness") for text in dict.fromkeys(witness_keys)]
    for key in server:
        _check_server_key(checkpoint, key)
    _check_distinct([*server, *witnesses])
    for key in witnesses:
        _check_witness_key(checkpoint, key)
    return Signers(server, witnesses)


def _read_key(text: str, whose: str) -> Key:
    """The key in this text."""
    try:
        return read_key(text)
    except ValueError as error:
        raise Failed("checkpoint", f"{whose} {error}.") from None


def _check_server_key(checkpoint: Checkpoint, key: Key) -> None:
    """A key of the server, which has the name of the log, has signed the checkpoint."""
    _need(key, key.signature_type == SIGNATURE, "is not the key of a log")
    _need(key, key.name == checkpoint.origin, f"does not have the name of the log, {checkpoint.origin}")
    made = checkpoint.made_by(key)
    _need(key, made, "has not signed the checkpoint")
    message = checkpoint.text.encode()
    _need(
        key, all(is_signed_by(key.public_key, one, message) for one in made), "did not make the signature in its name"
    )


def _check_witness_key(checkpoint: Checkpoint, key: Key) -> None:
    """A witness has cosigned the checkpoint (C2SP tlog-cosignature)."""
    _need(key, key.signature_type == COSIGNATURE, "is not the key of a witness")
    made = checkpoint.made_by(key)
    _need(key, made, "has not cosigned the checkpoint")
    _need(key, all(_is_cosigned(key, one, checkpoint) for one in made), "did not make the cosignature in its name")


def _check_distinct(keys: list[Key]) -> None:
    """No key is that of two witnesses, or of a witness and of the log: together they would say no more than one."""
    public_keys = [key.public_key for key in keys]
    for key in keys:
        _need(key, public_keys.count(key.public_key) == 1, "is the key of another signer too, under another name")


def _is_cosigned(key: Key, content: bytes, checkpoint: Checkpoint) -> bool:
    """Whether a witness has signed the checkpoint together with the time before its signature."""
    seconds = int.from_bytes(content[:TIME_BYTES], "big")
    message = f"cosignature/v1\ntime {seconds}\n{checkpoint.text}".encode()
    return len(content) == COSIGNATURE_BYTES and is_signed_by(key.public_key, content[TIME_BYTES:], message)


def _need(key: Key, holds: object, problem: str) -> None:
    """Fail the check unless something holds for a key."""
    if not holds:
        raise Failed("checkpoint", f"The key {key.name}+{key.key_id.hex()} {problem}.")
