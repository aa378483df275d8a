"""What the log publishes for everybody: checkpoints, the keys that verify them, and proofs. Reading it needs no key."""

from domain.values import Value
from infra.log.checkpoints import read_checkpoint
from infra.log.notes import Note, read_note, read_vkey
from infra.postgres.log_reader import LogReader
from services.audit.refusals import SizesNotInLog


class Latest(Value, frozen=True):
    """The latest checkpoint of a log."""

    size: int
    note: bytes
    """Empty while the log is empty."""
    keys: tuple[str, ...]
    """The public keys that have signed it, the newest first."""


class PublishedLog:
    """The log as everybody may read it."""

    def __init__(self, log: LogReader) -> None:
        self._log = log

    async def latest(self) -> Latest:
        """The latest checkpoint; while there is none, the keys that will sign the first."""
        checkpoint, noted = await self._log.checkpoint(), tuple(await self._log.keys())
        if checkpoint is None:
            return Latest(0, b"", noted)
        note = read_note(checkpoint[1])
        return Latest(read_checkpoint(note.text).size, checkpoint[1], _signers(note, noted))

    async def consistency(self, old_size: int, new_size: int) -> tuple[bytes, ...]:
        """The proof that the log of one size begins with the log of another."""
        size = (await self.latest()).size
        if not 0 <= old_size <= new_size <= size:
            raise SizesNotInLog(size=size, old_size=old_size, new_size=new_size)
        return await self._log.consistency(old_size, new_size)


def _signers(note: Note, noted: tuple[str, ...]) -> tuple[str, ...]:
    """The keys that signed a note, in the order of their signatures: the server signs with its newest key first."""
    verifiers = [read_vkey(vkey) for vkey in noted]
    return tuple(
        verifier.vkey
        for signature in note.signatures
        for verifier in verifiers
        if verifier.verifies(note.text, signature)
    )
