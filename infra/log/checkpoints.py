"""Checkpoints as C2SP defines them (`tlog-checkpoint`): the origin, the size and the root of a log, in a signed note.

example.com/liarsdice
3
9gZL8WfTxjbA6kPaPkqSZKGjsmEKXf3OI5tBnHP6HvE=

— example.com/liarsdice ...
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence

from domain.refusals import Malformed, Refusal
from domain.shown_text import is_shown
from domain.values import Value
from infra.log.merkle import EMPTY_ROOT, HASH_LENGTH, SIZE_MAX
from infra.log.notes import NAME_LENGTH_MAX, Algorithm, Note, Verifier, check_signed, decoded_base64, read_note

PROOF_LENGTH_MAX = 64
"""More hashes than the largest log needs to prove anything."""

_LINES_MIN = 3


class OriginUnknown(Refusal):
    """No key of the log {origin} is known, so nobody can say whether this checkpoint comes from it."""


class Checkpoint(Value, frozen=True):
    """The origin, size and root of a log at one moment. Further lines are kept, but mean nothing here."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text that the log signs."""
        lines = (self.origin, str(self.size), b64encode(self.root).decode(), *self.extensions)
        return "".join(f"{line}\n" for line in lines)


def read_checkpoint(text: str) -> Checkpoint:
    """The checkpoint from the text of a note."""
    lines = text.split("\n")
    if len(lines) <= _LINES_MIN or lines.pop() or not all(lines):
        raise _not_a_checkpoint("it takes at least three lines, none of which is empty")
    origin, size, root, *extensions = lines
    content = decoded_base64(root)
    if content is None or len(content) != HASH_LENGTH:
        raise _not_a_checkpoint(f"its third line is not the base64 of {HASH_LENGTH} bytes")
    if len(origin) > NAME_LENGTH_MAX or not is_shown(origin):
        raise _not_a_checkpoint(f"its origin is not a text of at most {NAME_LENGTH_MAX} characters that are shown")
    leaves = _size(size)
    if not leaves and content != EMPTY_ROOT:
        raise _not_a_checkpoint("it has no leaves, but not the root of an empty log")
    return Checkpoint(origin, leaves, content, tuple(extensions))


def open_checkpoint(content: bytes, verifiers: Iterable[Verifier]) -> tuple[Note, Checkpoint]:
    """A signed checkpoint; refuses one that none of its log's own keys has signed."""
    note = read_note(content)
    checkpoint = read_checkpoint(note.text)
    # A key counts only if its name is the origin: the key of another log, or of a witness, says nothing about this log.
    wanted = (checkpoint.origin, Algorithm.ED25519)
    keys = [verifier for verifier in verifiers if (verifier.name, verifier.algorithm) == wanted]
    if not keys:
        raise OriginUnknown(origin=checkpoint.origin)
    check_signed(note, keys)
    return note, checkpoint


def read_proof(content: bytes) -> tuple[bytes, ...]:
    """The hashes of a proof, from a text with one hash in base64 on each line."""
    *lines, rest = content.decode("ascii", "replace").split("\n")
    hashes = [decoded_base64(line) for line in lines[: PROOF_LENGTH_MAX + 1]]
    if rest or len(hashes) > PROOF_LENGTH_MAX or any(value is None or len(value) != HASH_LENGTH for value in hashes):
        problem = f"it takes at most {PROOF_LENGTH_MAX} lines, each with the base64 of {HASH_LENGTH} bytes"
        raise Malformed(what="proof", problem=problem)
    return tuple(value for value in hashes if value is not None)


def write_proof(proof: Sequence[bytes]) -> bytes:
    """The text of a proof."""
    return b"".join(b64encode(value) + b"\n" for value in proof)


def _size(text: str) -> int:
    # Converting a very long text to a number would take long.
    if text.isascii() and text.isdigit() and len(text) <= len(str(SIZE_MAX)):
        size = int(text)
        if str(size) == text and size <= SIZE_MAX:
            return size
    raise _not_a_checkpoint(f"its second line is not a whole number up to {SIZE_MAX}")


def _not_a_checkpoint(problem: str) -> Malformed:
    return Malformed(what="checkpoint", problem=problem)
