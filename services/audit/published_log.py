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
        return _told(checkpoint[1], noted)

    async def best_for(self, leaf: int) -> Latest | None:
        """The checkpoint for the proof of a leaf: the latest that witnesses have cosigned, or else the latest at all.

        None while the leaf is in none, or not in one that enough witnesses have cosigned, if that is asked for.
        """
        cosigned = await self._log.cosigned_after(leaf)
        if cosigned is not None:
            return _told(cosigned[1], tuple(await self._log.keys()))
        if await self._log.needs_quorum():
            return None
        latest = await self.latest()
        return latest if leaf < latest.size and latest.keys else None

    async def consistency(self, old_size: int, new_size: int) -> tuple[bytes, ...]:
        """The proof that the log of one size begins with the log of another."""
        size = (await self.latest()).size
        if not 0 <= old_size <= new_size <= size:
            raise SizesNotInLog(size=size, old_size=old_size, new_size=new_size)
        return await self._log.consistency(old_size, new_size)


def _told(note: bytes, noted: tuple[str, ...]) -> Latest:
    read = read_note(note)
    return Latest(read_checkpoint(read.text).size, note, _signers(read, noted))


def _signers(note: Note, noted: tuple[str, ...]) -> tuple[str, ...]:
    """The keys that signed a note, in the order of their signatures: the server signs with its newest key first."""
    verifiers = [read_vkey(vkey) for vkey in noted]
    return tuple(
        verifier.vkey
        for signature in note.signatures
        for verifier in verifiers
        if verifier.verifies(note.text, signature)
    )
