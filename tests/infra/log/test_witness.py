"""A witness countersigns one past of each log, whatever it is shown and whenever it is killed."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from domain.refusals import Malformed
from infra import durable_files as durable
from infra.log.checkpoints import Checkpoint, OriginUnknown
from infra.log.merkle import appended, consistency_proof, leaf_hash, root
from infra.log.notes import (
    SIGNATURES_MAX,
    Cosigner,
    Note,
    NoteSignatureWrong,
    NoteUnsigned,
    Signature,
    Signer,
    check_signed,
    cosigned_at,
    read_note,
)
from infra.log.witness import (
    ConsistencyMissing,
    ConsistencyWrong,
    LogForked,
    LogRolledBack,
    Witness,
    WitnessStateRefused,
)

REPOSITORY = Path(__file__).parents[3]
NAME = "example.com/dice"
WITNESS = Cosigner("example.org/witness", bytes(range(32)))


class Log:
    """A log that grows, of which there may be another one under the same name."""

    def __init__(self, name: str = NAME, past: str = "leaf") -> None:
        self.signer = Signer(name, sha256(name.encode()).digest())
        self.nodes = appended(0, [leaf_hash(f"{past} {number}".encode()) for number in range(100)], {})

    def checkpoint(self, size: int) -> Checkpoint:
        return Checkpoint(self.signer.verifier.name, size, root(size, self.nodes))

    def signed(self, size: int) -> bytes:
        text = self.checkpoint(size).text
        return bytes(Note(text, (self.signer.sign(text),)))

    def proof(self, old: int, new: int) -> tuple[bytes, ...]:
        return consistency_proof(old, new, self.nodes)


LOG, FORK, OTHER = Log(), Log(past="fork"), Log("example.com/other")


def witness(folder: Path, now: float = 1_000.0) -> Witness:
    return Witness(folder / "state", [WITNESS], [LOG.signer.verifier, OTHER.signer.verifier], lambda: now)


def size_of(folder: Path, log: Log = LOG) -> int | None:
    last = witness(folder).last(log.signer.verifier.name)
    return last.size if last is not None else None


def test_the_first_checkpoint_of_a_log_is_taken_on_trust_and_that_is_said(tmp_path: Path) -> None:
    seen = witness(tmp_path, 1_234.9).observe(LOG.signed(3))

    assert seen.previous is None
    assert seen.checkpoint == LOG.checkpoint(3)
    assert check_signed(seen.note, [LOG.signer.verifier, WITNESS.verifier]) == (LOG.signer.verifier, WITNESS.verifier)
    assert cosigned_at(seen.note.signatures[-1]) == 1_234
    assert witness(tmp_path).last(NAME) == LOG.checkpoint(3)


def test_a_checkpoint_that_follows_is_countersigned(tmp_path: Path) -> None:
    witness(tmp_path).observe(LOG.signed(3))

    seen = witness(tmp_path).observe(LOG.signed(50), LOG.proof(3, 50))

    assert seen.previous == LOG.checkpoint(3)
    assert bytes(seen.note).startswith(LOG.signed(50))
    assert check_signed(seen.note, [WITNESS.verifier])
    assert size_of(tmp_path) == 50


def test_the_same_checkpoint_is_countersigned_again_whatever_proof_comes_with_it(tmp_path: Path) -> None:
    """Whoever was cut off before the signature was printed asks in the same words again."""
    witness(tmp_path).observe(LOG.signed(3))
    witness(tmp_path).observe(LOG.signed(50), LOG.proof(3, 50))

    for proof in (None, (), LOG.proof(3, 50)):
        seen = witness(tmp_path, now=2_000).observe(LOG.signed(50), proof)
        assert cosigned_at(seen.note.signatures[-1]) == 2_000


def test_a_log_that_was_empty_needs_no_proof(tmp_path: Path) -> None:
    witness(tmp_path).observe(LOG.signed(0))

    witness(tmp_path).observe(LOG.signed(5))

    assert size_of(tmp_path) == 5


def test_an_empty_log_has_one_root(tmp_path: Path) -> None:
    text = Checkpoint(NAME, 0, b"r" * 32).text
    note = bytes(Note(text, (LOG.signer.sign(text),)))

    with pytest.raises(Malformed, match="no leaves, but not the root of an empty log"):
        witness(tmp_path).observe(note)
    assert size_of(tmp_path) is None


def test_a_fork_is_refused_with_both_roots(tmp_path: Path) -> None:
    witness(tmp_path).observe(LOG.signed(50))

    with pytest.raises(LogForked) as refused:
        witness(tmp_path).observe(FORK.signed(50), FORK.proof(40, 50))

    assert str(refused.value).startswith(f"The log {NAME} has two pasts: its first 50 leaves had the root ")
    for log in (LOG, FORK):
        assert log.checkpoint(50).text.split("\n")[2] in str(refused.value)
    assert witness(tmp_path).last(NAME) == LOG.checkpoint(50)


def test_a_rollback_is_refused(tmp_path: Path) -> None:
    witness(tmp_path).observe(LOG.signed(50))

    for proof in (None, (), LOG.proof(3, 50)):
        with pytest.raises(LogRolledBack, match=r"had 50 leaves already, and this checkpoint has only 3\."):
            witness(tmp_path).observe(LOG.signed(3), proof)
    assert size_of(tmp_path) == 50


def test_a_missing_or_wrong_proof_is_refused(tmp_path: Path) -> None:
    witness(tmp_path).observe(LOG.signed(3))

    with pytest.raises(
        ConsistencyMissing, match="give it a proof that the 50 leaves of this checkpoint begin with those"
    ):
        witness(tmp_path).observe(LOG.signed(50))
    for proof in ((), LOG.proof(4, 50), LOG.proof(3, 49), LOG.proof(3, 50)[::-1], LOG.proof(3, 50)[:-1], (b"", b"")):
        with pytest.raises(ConsistencyWrong, match="does not show that the 50 leaves"):
            witness(tmp_path).observe(LOG.signed(50), proof)
    with pytest.raises(ConsistencyWrong):
        witness(tmp_path).observe(FORK.signed(50), FORK.proof(3, 50))
    assert size_of(tmp_path) == 3


def test_what_the_log_has_not_signed_is_refused_and_not_remembered(tmp_path: Path) -> None:
    text = LOG.checkpoint(3).text
    stranger, namesake = Signer("example.com/stranger", bytes(32)), Signer(NAME, bytes(32))

    with pytest.raises(OriginUnknown):
        witness(tmp_path).observe(Log("example.com/stranger").signed(3))
    for signature in (stranger.sign(text), namesake.sign(text), OTHER.signer.sign(text), WITNESS.cosign(text, 5)):
        with pytest.raises(NoteUnsigned):
            witness(tmp_path).observe(bytes(Note(text, (signature,))))
    with pytest.raises(NoteSignatureWrong):
        witness(tmp_path).observe(LOG.signed(3).replace(b"\n3\n", b"\n4\n"))
    with pytest.raises(Malformed):
        witness(tmp_path).observe(b"")
    assert not list(tmp_path.iterdir())


def test_two_logs_do_not_get_in_each_others_way(tmp_path: Path) -> None:
    witness(tmp_path).observe(LOG.signed(50))
    assert witness(tmp_path).observe(OTHER.signed(3)).previous is None
    witness(tmp_path).observe(OTHER.signed(4), OTHER.proof(3, 4))

    with pytest.raises(LogRolledBack):
        witness(tmp_path).observe(LOG.signed(4), LOG.proof(3, 4))
    assert (size_of(tmp_path), size_of(tmp_path, OTHER)) == (50, 4)


def test_what_others_signed_is_kept_and_what_the_witness_signed_before_is_renewed(tmp_path: Path) -> None:
    text = LOG.checkpoint(3).text
    another = Cosigner("example.net/witness", bytes(32))
    lines = (WITNESS.cosign(text, 5), LOG.signer.sign(text), another.cosign(text, 6))

    seen = witness(tmp_path).observe(bytes(Note(text, lines)))

    assert seen.note.signatures == (*lines[1:], WITNESS.cosign(text, 1_000))


def test_all_keys_of_a_witness_sign(tmp_path: Path) -> None:
    cosigners = [WITNESS, Cosigner("example.org/witness", bytes(32))]

    seen = Witness(tmp_path / "state", cosigners, [LOG.signer.verifier]).observe(LOG.signed(3))

    assert check_signed(seen.note, [cosigner.verifier for cosigner in cosigners])
    assert len(seen.note.signatures) == 3


def test_a_larger_tree_is_never_said_to_be_older(tmp_path: Path) -> None:
    witness(tmp_path, now=2_000).observe(LOG.signed(3))

    seen = witness(tmp_path, now=1_000).observe(LOG.signed(4), LOG.proof(3, 4))

    assert cosigned_at(seen.note.signatures[-1]) == 2_000


def test_a_note_that_would_become_too_long_is_refused_and_not_remembered(tmp_path: Path) -> None:
    text = LOG.checkpoint(3).text
    lines = [LOG.signer.sign(text), *[Signature(str(number), b"1234", b"5") for number in range(1, SIGNATURES_MAX)]]

    with pytest.raises(Malformed, match="more than 100 signatures"):
        witness(tmp_path).observe(bytes(Note(text, tuple(lines))))
    assert size_of(tmp_path) is None


# The file.


def test_the_state_is_of_its_owner_alone_and_found_under_each_of_its_names(tmp_path: Path) -> None:
    witness(tmp_path).observe(LOG.signed(3))
    (tmp_path / "link").symlink_to(tmp_path / "state")
    by_link = Witness(tmp_path / "link", [WITNESS], [LOG.signer.verifier])

    by_link.observe(LOG.signed(4), LOG.proof(3, 4))

    assert (tmp_path / "link").is_symlink()
    assert size_of(tmp_path) == 4
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "state", "state.lock"]


def test_no_byte_of_the_state_can_be_changed_or_left_out(tmp_path: Path) -> None:
    witness(tmp_path).observe(LOG.signed(3))
    witness(tmp_path).observe(OTHER.signed(3))
    path = tmp_path / "state"
    content = path.read_bytes()

    spoiled = [content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :] for place in range(len(content))]
    spoiled += [content[:place] for place in range(len(content))]
    spoiled += [content + b"\n", b"\0" * len(content), b"[]", b"{}"]
    for other in spoiled:
        path.write_bytes(other)
        with pytest.raises(WitnessStateRefused, match="the file is damaged, or not one of a witness"):
            witness(tmp_path).observe(LOG.signed(3))
        assert path.read_bytes() == other


def test_a_state_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    """Also if somebody has written a fitting digest."""
    from infra.log.witness import _Seen, _spelled

    note = LOG.signed(3).decode()
    for seen in ({"another": _Seen(note, 5)}, {NAME: _Seen(note, -5)}, {NAME: _Seen("no note", 5)}):
        (tmp_path / "state").write_bytes(_spelled(seen))
        with pytest.raises(WitnessStateRefused):
            witness(tmp_path).observe(LOG.signed(3))


def test_the_state_can_be_read_by_others(tmp_path: Path) -> None:
    witness(tmp_path).observe(LOG.signed(3))

    state = json.loads((tmp_path / "state").read_bytes())

    assert state["format"] == "liarsdice.witness.v1"
    assert state["seen"] == {NAME: {"note": LOG.signed(3).decode(), "time": 1_000}}


def test_a_state_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    with pytest.raises(WitnessStateRefused, match="can't be used: Is a directory"):
        witness(tmp_path).observe(LOG.signed(3))
    with pytest.raises(WitnessStateRefused, match="can't be used: No such file or directory"):
        witness(tmp_path / "nowhere").observe(LOG.signed(3))


def test_what_cannot_be_stored_is_not_countersigned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    witness(tmp_path).observe(LOG.signed(3))

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(durable, "flush", full)
    with pytest.raises(WitnessStateRefused, match="No space left on device"):
        witness(tmp_path).observe(LOG.signed(4), LOG.proof(3, 4))

    assert size_of(tmp_path) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["state", "state.lock"]


def test_of_many_who_observe_at_once_nobody_takes_back_what_another_has_seen(tmp_path: Path) -> None:
    """Each log is shown in all its sizes at once, by many; whatever was countersigned last is the largest of it."""

    def show(job: tuple[Log, int]) -> tuple[str, int] | None:
        log, size = job
        name = log.signer.verifier.name
        for _ in range(1_000):
            last = witness(tmp_path).last(name)
            old = last.size if last is not None else 0
            try:
                witness(tmp_path).observe(log.signed(size), log.proof(old, size) if old <= size else ())
            except ConsistencyWrong:
                continue  # Another was faster, and the proof is from too far back.
            except LogRolledBack:
                return None
            return name, size
        raise AssertionError

    with ThreadPoolExecutor(8) as threads:
        jobs = [(log, size) for size in range(1, 31) for log in (LOG, OTHER)]
        shown = [one for one in threads.map(show, jobs) if one is not None]

    assert size_of(tmp_path) == size_of(tmp_path, OTHER) == 30
    assert {name for name, _ in shown} == {NAME, "example.com/other"}


def test_processes_that_see_different_logs_at_once_lose_nothing(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from tests.infra.log.test_witness import *\n"
        "log = Log(sys.argv[2])\n"
        "for size in range(1, 21):\n"
        "    seer = Witness(Path(sys.argv[1]) / 'state', [WITNESS], [log.signer.verifier])\n"
        "    seer.observe(log.signed(size), log.proof(size - 1, size) if size > 1 else None)\n"
    )
    names = [f"example.com/{number}" for number in range(4)]
    command = [sys.executable, "-c", program, str(tmp_path)]

    started = [subprocess.Popen([*command, name], cwd=REPOSITORY) for name in names]

    assert [process.wait(60) for process in started] == [0] * 4
    assert [size_of(tmp_path, Log(name)) for name in names] == [20] * 4


KILLED_AT = """
import os, signal, sys
from pathlib import Path
from tests.infra.log.test_witness import *

left = int(sys.argv[2])

def come_by():
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1

def watched(real):
    def step(*arguments, **named):
        come_by()
        result = real(*arguments, **named)
        come_by()
        return result
    return step

os.fsync, os.replace = watched(os.fsync), watched(os.replace)
print(witness(Path(sys.argv[1])).observe(LOG.signed(50), LOG.proof(3, 50)).checkpoint.size, flush=True)
"""


def test_a_witness_that_is_killed_at_any_step_has_stored_what_it_has_told(tmp_path: Path) -> None:
    """Before and after each flush and the one rename; the state is the old one or the new one, and never goes back."""
    sizes = []
    for step in range(20):
        folder = tmp_path / str(step)
        folder.mkdir()
        witness(folder).observe(LOG.signed(3))
        ran = subprocess.run(
            [sys.executable, "-c", KILLED_AT, str(folder), str(step)], cwd=REPOSITORY, capture_output=True, check=False
        )
        size = size_of(folder)
        assert size in {3, 50}
        assert (ran.stdout, ran.returncode) in {(b"", -signal.SIGKILL), (b"50\n", 0)}, ran.stderr
        assert size == 50 or not ran.stdout
        sizes.append(size)
        if ran.returncode == 0:
            break

    assert ran.returncode == 0
    assert sizes == [3, 3, 3, 50, 50, 50, 50]
    witness(tmp_path / "0").observe(LOG.signed(50), LOG.proof(3, 50))


def test_a_process_that_is_killed_lets_go_of_the_lock(tmp_path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from infra.log.witness import _locked\n"
        "with _locked(Path(sys.argv[1])):\n    print('locked', flush=True)\n    time.sleep(60)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "state")]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE) as holder, ThreadPoolExecutor(1) as threads:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"locked\n"
        waiting = threads.submit(witness(tmp_path).observe, LOG.signed(3))
        with pytest.raises(TimeoutError):
            waiting.result(0.2)
        os.kill(holder.pid, signal.SIGKILL)

        assert waiting.result(20).checkpoint.size == 3


def test_what_is_printed_is_what_others_can_read(tmp_path: Path) -> None:
    seen = witness(tmp_path).observe(LOG.signed(3))

    assert read_note(bytes(seen.note)) == seen.note
