"""A witness: it remembers the last checkpoint of every log that it has seen, and countersigns only what follows from it.

Two people who have a checkpoint with the same witness's cosignature know that they were not shown two pasts. The memory is
a file. It is on the disk before a cosignature leaves, so that nothing is ever taken back, whenever the process is killed.
Processes that share it wait for each other. The first checkpoint of a log is taken on trust: there is nothing to compare
it with.
"""

import fcntl
import time
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec

from domain.refusals import Malformed, Refusal
from domain.values import Value
from infra.durable_files import replace
from infra.log.checkpoints import Checkpoint, open_checkpoint, read_checkpoint
from infra.log.merkle import verify_consistency
from infra.log.notes import TIME_MAX, Cosigner, Note, Verifier, read_note


class WitnessStateRefused(Refusal):
    """What the witness has seen, in {path}, can't be used: {problem}."""


class LogForked(Refusal):
    """The log {origin} has two pasts: its first {size} leaves had the root {seen} before and have the root {shown} now. Keep both checkpoints, they prove it."""


class LogRolledBack(Refusal):
    """The log {origin} had {seen} leaves already, and this checkpoint has only {shown}."""


class ConsistencyMissing(Refusal):
    """The log {origin} had {seen} leaves when it was seen last, and a proof is needed that the {shown} of this checkpoint begin with them."""


class ConsistencyWrong(Refusal):
    """The proof does not show that the {shown} leaves of this checkpoint of {origin} begin with the {seen} that were seen before."""


class Observation(Value, frozen=True):
    """A checkpoint that was seen and countersigned."""

    note: Note
    """With the cosignatures of the witness at its end."""
    checkpoint: Checkpoint
    previous: Checkpoint | None
    """What it was compared with; None if it is the first one of its log, and taken on trust."""


class _Seen(Value, frozen=True):
    """The last checkpoint of a log, and when it was countersigned."""

    note: str
    time: int


class _State(Value, frozen=True, forbid_unknown_fields=True):
    """The file, of which there is one spelling. The digest tells a slip of the disk or the hand."""

    format: Literal["liarsdice.witness.v1"]
    digest: str
    seen: dict[str, _Seen]


class Witness:
    """One who countersigns, with the file of what was seen and the keys of the logs that are followed."""

    def __init__(
        self,
        state: Path,
        cosigners: Sequence[Cosigner],
        logs: Iterable[Verifier],
        clock: Callable[[], float] = time.time,
    ) -> None:
        # The file that is really meant, so that it is found under each of its names, and never a link replaced.
        self._path = state.resolve()
        self._cosigners = tuple(cosigners)
        self._logs = tuple(logs)
        self._clock = clock

    def last(self, origin: str) -> Checkpoint | None:
        """The last checkpoint that was seen of a log: what the next one has to be proven consistent with."""
        seen = _read(self._path).get(origin)
        return _checkpoint(seen) if seen is not None else None

    def observe(self, content: bytes, proof: Sequence[bytes] | None = None) -> Observation:
        """Countersign a signed checkpoint and remember it, or refuse it and leave everything as it was.

        The proof is the consistency proof from the last checkpoint of the log. None is needed for the first one, and none
        for the same one again.
        """
        note, checkpoint = open_checkpoint(content, self._logs)
        with _locked(self._path):
            seen = _read(self._path)
            last = seen.get(checkpoint.origin)
            previous = _checkpoint(last) if last is not None else None
            if previous is not None:
                _check_follows(previous, checkpoint, proof)
            # A larger tree is never said to be older, even if the clock was set back.
            now = max(int(self._clock()), last.time if last is not None else 0)
            cosigned = self._cosigned(note, now)
            _write(self._path, {**seen, checkpoint.origin: _Seen(bytes(note).decode(), now)})
        return Observation(cosigned, checkpoint, previous)

    def _cosigned(self, note: Note, now: int) -> Note:
        ours = [cosigner.verifier for cosigner in self._cosigners]
        others = [line for line in note.signatures if not any(verifier.made(line) for verifier in ours)]
        cosignatures = [cosigner.cosign(note.text, now) for cosigner in self._cosigners]
        # Nobody could read it if it had become too long.
        return read_note(bytes(Note(note.text, (*others, *cosignatures))))


def _check_follows(previous: Checkpoint, checkpoint: Checkpoint, proof: Sequence[bytes] | None) -> None:
    sizes = {"origin": checkpoint.origin, "seen": previous.size, "shown": checkpoint.size}
    if checkpoint.size < previous.size:
        raise LogRolledBack(**sizes)
    if checkpoint.size == previous.size:
        if checkpoint.root != previous.root:
            seen, shown = (b64encode(root).decode() for root in (previous.root, checkpoint.root))
            raise LogForked(origin=checkpoint.origin, size=checkpoint.size, seen=seen, shown=shown)
        return
    if proof is None and previous.size > 0:
        raise ConsistencyMissing(**sizes)
    if not verify_consistency(previous.size, previous.root, checkpoint.size, checkpoint.root, proof or ()):
        raise ConsistencyWrong(**sizes)


def _checkpoint(seen: _Seen) -> Checkpoint:
    return read_checkpoint(read_note(seen.note.encode()).text)


def _read(path: Path) -> dict[str, _Seen]:
    with _told_about(path):
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return {}
    try:
        state = msgspec.json.decode(content, type=_State)
        whole = all(_checkpoint(seen).origin == origin for origin, seen in state.seen.items())
        whole = whole and all(0 <= seen.time <= TIME_MAX for seen in state.seen.values())
        whole = whole and content == _spelled(state.seen)
    except (msgspec.DecodeError, UnicodeError, Malformed):
        whole = False
    if not whole:
        raise WitnessStateRefused(path=path, problem="the file is damaged, or not one of a witness")
    return state.seen


def _write(path: Path, seen: Mapping[str, _Seen]) -> None:
    with _told_about(path):
        replace(path, _spelled(seen))


def _spelled(seen: Mapping[str, _Seen]) -> bytes:
    digest = b64encode(sha256(msgspec.json.encode(seen)).digest()).decode()
    state = _State("liarsdice.witness.v1", digest, dict(seen))
    return msgspec.json.format(msgspec.json.encode(state), indent=1) + b"\n"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    # The file itself is replaced each time, so a lock on it would be one on a file that is gone.
    with _told_about(path):
        file = path.with_name(f"{path.name}.lock").open("ab")
    with file:
        with _told_about(path):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _told_about(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WitnessStateRefused(path=path, problem=error.strerror or type(error).__name__) from None
