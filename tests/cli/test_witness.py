"""`liarsdice witness`, as somebody who watches a server uses it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from base64 import b64decode
from pathlib import Path

import pytest

from infra.log.checkpoints import open_checkpoint, write_proof
from infra.log.notes import Verifier, check_signed, cosigned_at, read_note, read_vkey
from services.cli.main import main
from services.cli.witness import CONTRADICTED
from tests.infra.log.test_witness import FORK, LOG, OTHER, Log, size_of

ROOT = Path(__file__).parent.parent.parent


def arguments(folder: Path, size: int, old: int | None = None, log: Log = LOG) -> list[str]:
    """The command for a checkpoint of this size, with a proof from another size."""
    (folder / "checkpoint").write_bytes(log.signed(size))
    named = ["--state", str(folder / "state"), "--key-file", str(folder / "key"), "--name", "example.org/witness"]
    keys = ["--log-key", LOG.signer.verifier.vkey, "--log-key", OTHER.signer.verifier.vkey]
    proof = []
    if old is not None:
        (folder / "proof").write_bytes(write_proof(log.proof(old, size)))
        proof = ["--proof", str(folder / "proof")]
    return ["witness", *named, *keys, str(folder / "checkpoint"), *proof]


def full_pipe() -> tuple[int, int]:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writing, b"." * 65_536)
    os.set_blocking(writing, True)
    return reading, writing


def key_told(told: str) -> Verifier:
    (line,) = (line for line in told.splitlines() if line.startswith("Signed by "))
    return read_vkey(line.removeprefix("Signed by "))


def test_a_log_is_followed_from_its_first_checkpoint_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(tmp_path, 3)) == 0
    first = capsys.readouterr()
    assert main(arguments(tmp_path, 50, old=3)) == 0
    second = capsys.readouterr()

    assert "Never saw example.com/dice before: its 3 leaves are taken on trust." in first.err
    assert "The 50 leaves of example.com/dice begin with the 3 seen before." in second.err
    key = key_told(second.err)
    assert key == key_told(first.err)
    assert key.name == "example.org/witness"
    for printed, size in ((first.out, 3), (second.out, 50)):
        note, checkpoint = open_checkpoint(printed.encode(), [LOG.signer.verifier])
        assert checkpoint.size == size
        assert check_signed(note, [key])
        assert abs((cosigned_at(note.signatures[-1]) or 0) - time.time()) < 60
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


def test_what_was_signed_as_json_is_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments(tmp_path, 3), "--json"]) == 0
    first = capsys.readouterr()
    assert main([*arguments(tmp_path, 50, old=3), "--json"]) == 0
    second = capsys.readouterr()

    assert first.err == second.err == ""
    seen = [json.loads(printed.out) for printed in (first, second)]
    assert [(one["origin"], one["size"], one["previous_size"]) for one in seen] == [
        ("example.com/dice", 3, None),
        ("example.com/dice", 50, 3),
    ]
    note, checkpoint = open_checkpoint(seen[1]["note"].encode(), [LOG.signer.verifier])
    assert check_signed(note, [read_vkey(*seen[1]["signed_by"])])
    assert b64decode(seen[1]["root"]) == checkpoint.root


def test_what_does_not_follow_has_an_exit_code_of_its_own_and_prints_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(tmp_path, 50)) == 0
    capsys.readouterr()

    for size, old, log, sentence in (
        (50, None, FORK, "has two pasts"),
        (3, None, LOG, "had 50 leaves already, and this checkpoint has only 3"),
        (60, 49, LOG, "The proof does not show"),
        (60, 50, FORK, "The proof does not show"),
    ):
        assert main(arguments(tmp_path, size, old, log)) == CONTRADICTED == 3
        told = capsys.readouterr()
        assert sentence in told.err
        assert not told.out
    assert size_of(tmp_path) == 50


def test_what_can_not_be_told_is_said_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(tmp_path, 50)) == 0
    capsys.readouterr()

    def refused(command: list[str], sentence: str) -> None:
        assert main(command) == 2
        told = capsys.readouterr()
        assert sentence in told.err
        assert not told.out

    refused(arguments(tmp_path, 60), "give it a proof that the 60 leaves of this checkpoint begin with those")
    refused(arguments(tmp_path, 3, log=Log("example.com/stranger")), "No key of the log example.com/stranger is known")
    command = arguments(tmp_path, 60, old=50)
    (tmp_path / "proof").write_bytes(b"no proof\n")
    refused(command, "This is not a valid proof")
    (tmp_path / "proof").unlink()
    refused(command, f"can't read {tmp_path / 'proof'}: No such file or directory")
    refused([*arguments(tmp_path, 60, old=50), "--log-key", "no key"], "This is not a valid key that verifies")
    refused([*arguments(tmp_path, 60, old=50), "--name", "a b"], "no spaces and no plus")
    (tmp_path / "checkpoint").write_bytes(b"a" * 1_000_000)
    refused(command, "This is not a valid signed note: it has more than 262144 bytes")
    (tmp_path / "key").chmod(0o644)
    refused(arguments(tmp_path, 60, old=50), "others than its owner have access")
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "state").write_bytes(b"")
    refused(arguments(tmp_path, 60, old=50), "the file is damaged, or not one of a witness")


def test_the_keys_of_a_witness_serve_one_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Or one witness could pass for two. A key file that is older than this gets the first name that it is used with."""
    assert main(arguments(tmp_path, 3)) == 0
    text = (tmp_path / "key").read_text()
    (tmp_path / "key").write_text(
        "".join(line for line in text.splitlines(keepends=True) if not line.startswith("# name: "))
    )
    assert main(arguments(tmp_path, 3)) == 0
    capsys.readouterr()

    assert main([*arguments(tmp_path, 3), "--name", "example.org/another"]) == 2
    assert "are those of the witness example.org/witness" in capsys.readouterr().err


def test_a_witness_without_a_name_gets_one_that_nobody_else_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = []
    for folder in (tmp_path / "one", tmp_path / "one", tmp_path / "two"):
        folder.mkdir(exist_ok=True)
        command = arguments(folder, 3)
        del command[command.index("--name") : command.index("--name") + 2]
        assert main(command) == 0
        names.append(key_told(capsys.readouterr().err).name)

    assert names[0] == names[1] != names[2]


def test_one_key_is_not_that_of_two_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twin = Verifier("example.com/twin", LOG.signer.verifier.algorithm, LOG.signer.verifier.public_key)

    assert main([*arguments(tmp_path, 3), "--log-key", twin.vkey]) == 2
    assert "the key of two logs" in capsys.readouterr().err


def test_one_state_serves_two_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(tmp_path, 50)) == 0
    assert main(arguments(tmp_path, 3, log=OTHER)) == 0
    assert "Never saw example.com/other before" in capsys.readouterr().err

    assert main(arguments(tmp_path, 60, old=50)) == 0
    assert (size_of(tmp_path), size_of(tmp_path, OTHER)) == (60, 3)


def test_a_witness_that_is_killed_before_it_could_print_has_not_forgotten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its standard output is a pipe that takes no more, so that it has stored and can't print."""
    assert main(arguments(tmp_path, 3)) == 0
    reading, writing = full_pipe()
    command = [sys.executable, "-m", "services.cli", *arguments(tmp_path, 50, old=3)]

    with subprocess.Popen(command, cwd=ROOT, stdout=writing, stderr=subprocess.DEVNULL) as process:
        os.close(writing)
        deadline = time.monotonic() + 30
        while size_of(tmp_path) == 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
    printed = b"".join(iter(lambda: os.read(reading, 65_536), b""))
    os.close(reading)
    capsys.readouterr()

    assert set(printed) == {ord(".")}
    assert size_of(tmp_path) == 50
    assert main(arguments(tmp_path, 49, old=3)) == CONTRADICTED
    assert main(arguments(tmp_path, 50, old=3)) == 0
    assert read_note(capsys.readouterr().out.encode()).text == LOG.checkpoint(50).text
