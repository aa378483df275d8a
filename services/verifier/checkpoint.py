"""The check `checkpoint`: the signed note about the log has all required signatures (audit-format.md, "The log")."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .failure import Failed, Place
from .form import decoded, decoded_exactly
from .keys import Key, is_signed_by, read_key

SIGNATURE, COSIGNATURE = 0x01, 0x04
KEY_ID_BYTES = 4
TIME_BYTES = 8
HASH_BYTES = 32
NOTE_LENGTH_MAX = 1 << 18
_NOTE = re.compile(r"(([^\s+]+)\n(0|[1-9][0-9]{0,18})\n(\S+)\n)\n((?:— [^\s+]+ \S+\n)+)")
_SIGNATURE_LINE = re.compile(r"— (\S+) (\S+)\n")


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
    """The three lines that are signed."""
    origin: str
    size: int
    root: bytes
    signatures: tuple[NoteSignature, ...]


def read_checkpoint(note: str) -> Checkpoint:
    """The checkpoint in a note; a ValueError if the note is not a checkpoint."""
    found = _NOTE.fullmatch(note) if len(note) <= NOTE_LENGTH_MAX else None
    if found is None:
        raise ValueError("this is no checkpoint")
    text, origin, size, root, lines = found.groups()
    signatures = tuple(_read_signature(*line.groups()) for line in _SIGNATURE_LINE.finditer(lines))
    return Checkpoint(text, origin, int(size), decoded_exactly(root, HASH_BYTES), signatures)


def _read_signature(name: str, encoded: str) -> NoteSignature:
    """The signature in a line. It begins with the id of its key."""
    content = decoded(encoded)
    return NoteSignature(name, content[:KEY_ID_BYTES], content[KEY_ID_BYTES:])


def check_server_keys(checkpoint: Checkpoint, keys: Sequence[str], place: Place) -> None:
    """The server's keys, which have the name of the log, have signed the checkpoint."""
    for text in keys:
        key = _read_key(text, place)
        is_servers = key.signature_type == SIGNATURE and key.name == checkpoint.origin
        made = _made_by(key, checkpoint) if is_servers else []
        message = checkpoint.text.encode()
        _need_signed(made and all(is_signed_by(key.public_key, one, message) for one in made), place)


def check_witness_keys(checkpoint: Checkpoint, keys: Sequence[str], place: Place) -> None:
    """The witnesses with these keys have cosigned the checkpoint (C2SP tlog-cosignature)."""
    for text in keys:
        key = _read_key(text, place)
        made = _made_by(key, checkpoint) if key.signature_type == COSIGNATURE else []
        _need_signed(made and all(_is_cosigned(key, one, checkpoint) for one in made), place)


def _is_cosigned(key: Key, content: bytes, checkpoint: Checkpoint) -> bool:
    """Whether a witness has signed the checkpoint together with the time before its signature."""
    seconds = int.from_bytes(content[:TIME_BYTES], "big")
    message = f"cosignature/v1\ntime {seconds}\n{checkpoint.text}".encode()
    return is_signed_by(key.public_key, content[TIME_BYTES:], message)


def _read_key(text: str, place: Place) -> Key:
    """The key in this text. From here on, failures name it."""
    place.name = f"The checkpoint, by the key {text},"
    return read_key(text)


def _made_by(key: Key, checkpoint: Checkpoint) -> list[bytes]:
    """The signatures under the checkpoint that have the name and the id of a key."""
    return [one.content for one in checkpoint.signatures if (one.name, one.key_id) == (key.name, key.key_id)]


def _need_signed(holds: object, place: Place) -> None:
    """Fail the check unless the checkpoint is signed."""
    if not holds:
        raise Failed("checkpoint", f"{place.name} is not signed as it should be.")
