"""A witness: it remembers the last checkpoint of every log that it has seen, and countersigns only what continues it.

Two people who have checkpoints with the same witness's cosignature know that the log has not shown them two different
pasts. The memory is a file. The witness writes it to the disk before it gives out a cosignature, so that it never forgets
one, even if the process is killed. Processes that share the file wait for each other. The witness trusts the first
checkpoint of a log, because there is nothing to compare it with.
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
from infra.log.cosigning import Request
from infra.log.merkle import EMPTY_ROOT, verify_consistency
from infra.log.notes import TIME_MAX, Cosigner, Note, Signature, Verifier, read_note


class WitnessStateRefused(Refusal):
    """The memory of the witness in {path} can't be used: {problem}."""


class LogForked(Refusal):
    """The log {origin} has two pasts: its first {size} leaves had the root {seen} before and have the root {shown} now. Keep both checkpoints, they prove it."""


class LogRolledBack(Refusal):
    """The log {origin} had {seen} leaves already, and this checkpoint has only {shown}."""


class ConsistencyMissing(Refusal):
    """The witness last saw the log {origin} with {seen} leaves; give it a proof that the {shown} leaves of this checkpoint begin with those."""


class ConsistencyWrong(Refusal):
    """The proof does not show that the {shown} leaves of this checkpoint of {origin} begin with the {seen} that the witness saw before."""


class OldSizeWrong(Refusal):
    """The witness has last cosigned the log {origin} with {seen} leaves, and not with {old_size}."""


class Observation(Value, frozen=True):
    """A checkpoint that the witness has countersigned."""

    note: Note
    """The note with the witness's cosignatures at its end."""
    checkpoint: Checkpoint
    previous: Checkpoint | None
    """The checkpoint it was compared with; None if it is the first of its log, which the witness trusts."""


class _Seen(Value, frozen=True):
    """The last checkpoint of a log, and when the witness countersigned it."""

    note: str
    time: int


class _State(Value, frozen=True, forbid_unknown_fields=True):
    """The content of the file, which has exactly one spelling. The digest detects errors of the disk or of an editor."""

    format: Literal["liarsdice.witness.v1"]
    digest: str
    seen: dict[str, _Seen]


class Witness:
    """A witness with its keys, the file of what it has seen, and the keys of the logs that it follows."""

    def __init__(
        self,
        state: Path,
        cosigners: Sequence[Cosigner],
        logs: Iterable[Verifier],
        clock: Callable[[], float] = time.time,
    ) -> None:
        # Resolved, because replacing a link would split the memory in two: one behind the link, one in its place.
        self._path = state.resolve()
        self._cosigners = tuple(cosigners)
        self._logs = tuple(logs)
        self._clock = clock

    def last(self, origin: str) -> Checkpoint | None:
        """The last checkpoint seen of a log; the next one needs a proof of consistency with it."""
        seen = _read(self._path).get(origin)
        return _checkpoint(seen) if seen is not None else None

    def observe(self, content: bytes, proof: Sequence[bytes] | None = None) -> Observation:
        """Countersign a signed checkpoint and remember it, or refuse it and leave everything as it was.

        `proof` is the consistency proof from the last checkpoint of the log. The first checkpoint of a log needs none, and
        the same checkpoint again needs none.
        """
        note, checkpoint = open_checkpoint(content, self._logs)
        with _locked(self._path):
            seen = _read(self._path)
            last = seen.get(checkpoint.origin)
            previous = _checkpoint(last) if last is not None else None
            if previous is not None:
                _check_follows(previous, checkpoint, proof)
            # A larger tree never gets an earlier time, even if the clock was set back.
            now = max(int(self._clock()), last.time if last is not None else 0)
            cosigned = self._cosigned(note, now)
            _write(self._path, {**seen, checkpoint.origin: _Seen(bytes(note).decode(), now)})
        return Observation(cosigned, checkpoint, previous)

    def add(self, request: Request) -> tuple[Signature, ...]:
        """The cosignatures for a checkpoint that continues the last one, as `tlog-witness` asks for it.

        The proof has to begin at the size of the last checkpoint, whatever that is.
        """
        note, checkpoint = open_checkpoint(request.note, self._logs)
        if request.old_size > checkpoint.size:
            raise Malformed(what="request", problem="its old size is larger than its checkpoint")
        with _locked(self._path):
            seen = _read(self._path)
            last = seen.get(checkpoint.origin)
            known = _checkpoint(last) if last is not None else None
            size, root = (known.size, known.root) if known is not None else (0, EMPTY_ROOT)
            if size != request.old_size:
                raise OldSizeWrong(origin=checkpoint.origin, seen=size, old_size=request.old_size)
            if not verify_consistency(size, root, checkpoint.size, checkpoint.root, request.proof):
                raise ConsistencyWrong(origin=checkpoint.origin, shown=checkpoint.size, seen=size)
            now = max(int(self._clock()), last.time if last is not None else 0)
            signed = Note(note.text, tuple(one for one in note.signatures if self._is_of_log(one)))
            _write(self._path, {**seen, checkpoint.origin: _Seen(bytes(signed).decode(), now)})
        return tuple(cosigner.cosign(note.text, now) for cosigner in self._cosigners)

    def cosigned(self, origin: str) -> Note | None:
        """The last checkpoint of a log with our cosignatures; None if there is none."""
        last = _read(self._path).get(origin)
        return self._cosigned(read_note(last.note.encode()), last.time) if last is not None else None

    @property
    def origins(self) -> frozenset[str]:
        """The logs that the witness follows."""
        return frozenset(log.name for log in self._logs)

    def _is_of_log(self, signature: Signature) -> bool:
        return any(log.made(signature) for log in self._logs)

    def _cosigned(self, note: Note, now: int) -> Note:
        ours = [cosigner.verifier for cosigner in self._cosigners]
        others = [line for line in note.signatures if not any(verifier.made(line) for verifier in ours)]
        cosignatures = [cosigner.cosign(note.text, now) for cosigner in self._cosigners]
        # Reading it again refuses a note that the cosignatures have made too long to be read.
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
    with _file_errors_refused(path):
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
    with _file_errors_refused(path):
        replace(path, _spelled(seen))


def _spelled(seen: Mapping[str, _Seen]) -> bytes:
    digest = b64encode(sha256(msgspec.json.encode(seen)).digest()).decode()
    state = _State("liarsdice.witness.v1", digest, dict(seen))
    return msgspec.json.format(msgspec.json.encode(state), indent=1) + b"\n"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    # A lock file of its own: the memory file is replaced each time, so a lock on it would be a lock on an old file.
    with _file_errors_refused(path):
        file = path.with_name(f"{path.name}.lock").open("ab")
    with file:
        with _file_errors_refused(path):
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _file_errors_refused(path: Path) -> Iterator[None]:
    """Turn an error of the operating system into a refusal of the witness's memory."""
    try:
        yield
    except OSError as error:
        raise WitnessStateRefused(path=path, problem=error.strerror or type(error).__name__) from None
