"""The proof in a bundle that holds, as C2SP's `tlog-proof`, for programs that know nothing of this game."""

from base64 import b64decode

import msgspec

from infra.failure import CommandFailed
from infra.log.checkpoints import read_checkpoint
from infra.log.entries import FIRST_FORM, FORM, entry_text
from infra.log.merkle import leaf_hash, verify_inclusion
from infra.log.notes import read_note
from infra.log.proof_file import write_proof_file


class _Event(msgspec.Struct):
    version: int
    topic: str
    digest: str | None = None


class _Bundle(msgspec.Struct):
    game_id: str
    round: int | None
    events: list[_Event]
    leaf: int
    proof: list[str]
    checkpoint: str


def tlog_proof(bundle: bytes) -> tuple[bytes, bytes]:
    """The entry of the log that a checked bundle is about, and the proof file for it."""
    told = msgspec.json.decode(bundle, type=_Bundle)
    last, proof = told.events[-1], [b64decode(value) for value in told.proof]
    if last.digest is None:
        raise CommandFailed("the last event was stored before there were digests, so there is no such proof of it")
    checkpoint = read_checkpoint(read_note(told.checkpoint.encode()).text)
    for form in (FORM, FIRST_FORM):
        entry = entry_text(form, told.game_id, last.version, last.topic, told.round, b64decode(last.digest))
        if verify_inclusion(leaf_hash(entry), told.leaf, checkpoint.size, proof, checkpoint.root):
            return entry, write_proof_file(told.leaf, proof, told.checkpoint.encode())
    raise AssertionError
