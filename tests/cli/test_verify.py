"""`liarsdice verify` on the command line."""

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.cells import cell_len

from domain.options import Options
from services.cli.main import main
from services.cli.verify import show_report
from services.simulation.simulation import Setup
from services.verifier import verify
from tests.memory import memory_growth_max
from tests.verifier.games import SignedPlay, bundle, played, stored
from tests.verifier.log import ORIGIN, SERVER, WITNESSING, Signer
from tests.verifier.vectors import late_play

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def play() -> SignedPlay:
    return played(Setup("bidding-track", Options(dice_each=3), 3), "command")


@pytest.fixture
def file(play: SignedPlay, tmp_path: Path) -> Path:
    path = tmp_path / "round.json"
    path.write_bytes(bundle(stored(play), 1, (SERVER, WITNESSING)))
    return path


def test_a_bundle_that_verifies_is_told(file: Path, capsys: Capture) -> None:
    assert main(["verify", str(file)]) == 0

    told = capsys.readouterr().out
    assert "Verified: round 1 of game game-command, by bidding-track." in told
    assert "challenged: " in told
    assert "By BT-13, BT-5" in told
    assert "The key is the bundle's own" in told


def test_the_report_of_a_whole_game_has_all_rounds_and_the_places(
    play: SignedPlay, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "game").write_bytes(bundle(stored(play), None))

    assert main(["verify", str(tmp_path / "game")]) == 0
    told = capsys.readouterr().out
    assert "Round 1" in told
    assert "Round 2" in told
    assert "Places: " in told


def test_moves_of_the_clock_are_told_beside_those_that_a_player_signed(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "game").write_bytes(bundle(stored(late_play()), None))

    assert main(["verify", str(tmp_path / "game")]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "signs every move" not in told
    assert "has signed" in told
    assert "the clock moved for seat" in told
    assert "That the seat did not move in time is the server's word." in told


def test_the_dice_of_all_seats_begin_in_one_column_whatever_the_names_are(file: Path, capsys: Capture) -> None:
    report = verify(file.read_bytes())
    for player, name in zip(
        report.players, ("王小明と田中さん", "🏴\u200d☠\ufe0f", "Bartholomew the Long"), strict=False
    ):
        player["name"] = name
    show_report(report)

    lines = capsys.readouterr().out.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("Round 1")) + 1
    # Every seat has three dice, so all these lines are equally wide.
    assert len({cell_len(line) for line in lines[first : first + 3]}) == 1


def test_a_key_may_be_given_as_it_is_or_as_a_file(file: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "key").write_text(SERVER.key + "\n")
    for key in (SERVER.key, str(tmp_path / "key")):
        assert main(["verify", str(file), "--public-key", key, "--witness-key", WITNESSING.key]) == 0
        told = capsys.readouterr().out
        assert "The key is the bundle's own" not in told
        assert "seen by 1 witness." in told


ANOTHER = Signer("another.example/witness", b"a" * 32, kind=4)


def policy(folder: Path, quorum: str, log: Signer = SERVER) -> list[str]:
    """The flags for a policy with a witness that has cosigned, named `near`, and one that has not, named `far`."""
    lines = [f"log {log.key}", f"witness near {WITNESSING.key}", f"witness far {ANOTHER.key} https://far.example"]
    text = "\n".join([*lines, "group one any near far", "group both all one", f"quorum {quorum}", ""])
    (folder / "policy").write_text(text)
    return ["--policy", str(folder / "policy")]


@pytest.mark.parametrize(
    ("quorum", "sentence"),
    [
        ("none", "The policy asks for no quorum."),
        ("near", "The quorum is reached."),
        ("both", "The quorum is reached."),
    ],
)
def test_by_a_policy_it_says_which_witnesses_count(
    file: Path, tmp_path: Path, capsys: Capture, quorum: str, sentence: str
) -> None:
    assert main(["verify", str(file), *policy(tmp_path, quorum)]) == 0
    told = capsys.readouterr().out
    assert f"These witnesses of the policy have cosigned: near. {sentence}" in told
    assert "These witnesses of the policy have not cosigned: far." in told
    assert "seen by 1 witness." in told
    assert "The key is the bundle's own" not in told, "it is the key of the policy"


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_without_the_quorum_of_a_policy_a_bundle_fails(
    file: Path, tmp_path: Path, capsys: Capture, flags: list[str]
) -> None:
    assert main(["verify", str(file), *policy(tmp_path, "far"), *flags]) == 1
    told = capsys.readouterr().out
    assert "policy" in told
    assert "The quorum far is not reached. These witnesses have cosigned: near. These have not: far." in told


def test_a_wrong_cosignature_counts_as_none(play: SignedPlay, tmp_path: Path, capsys: Capture) -> None:
    good = bundle(stored(play), 1, (SERVER, WITNESSING))
    line = next(part for part in good.decode().split("\\n") if WITNESSING.key.split("+")[0] in part)
    (tmp_path / "bundle").write_bytes(good.replace(line.encode(), f"{line[:-6]}AAAA{line[-2:]}".encode()))

    assert main(["verify", str(tmp_path / "bundle"), *policy(tmp_path, "near")]) == 1
    assert "The quorum near is not reached. These witnesses have cosigned: none." in capsys.readouterr().out


def test_a_log_that_the_policy_does_not_name_is_not_believed(file: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["verify", str(file), *policy(tmp_path, "near", log=Signer(ORIGIN, b"x" * 32))]) == 1
    assert "No log of the policy has signed the checkpoint." in capsys.readouterr().out


def test_a_log_of_the_policy_that_has_signed_another_logs_checkpoint_does_not_count(
    play: SignedPlay, tmp_path: Path, capsys: Capture
) -> None:
    """It has signed as a stranger: the checkpoint is about the log that its first line names."""
    other = Signer("another.example/log", b"x" * 32)
    (tmp_path / "bundle").write_bytes(bundle(stored(play), 1, (SERVER, other, WITNESSING)))

    flags = policy(tmp_path, "near", log=other)
    assert main(["verify", str(tmp_path / "bundle"), "--public-key", SERVER.key, *flags]) == 1
    assert "No log of the policy has signed the checkpoint." in capsys.readouterr().out


def test_what_is_no_policy_is_told_in_a_sentence(file: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["verify", str(file), "--policy", str(tmp_path / "nothing")]) == 2
    assert "can't read" in capsys.readouterr().err
    assert main(["verify", str(file), *policy(tmp_path, "unknown")]) == 2
    assert (
        "is no policy. Line 6 of the policy makes no sense: it names what no line before it defines"
        in capsys.readouterr().err
    )
    file.write_bytes(b"{}")
    assert main(["verify", str(file), *policy(tmp_path, "near")]) == 1
    assert "Failed: form" in capsys.readouterr().out


def test_the_report_as_json(file: Path, capsys: Capture) -> None:
    assert main(["verify", str(file), "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    assert report["round"] == report["rounds"][0]["number"] == 1
    assert report["rounds"][0]["result"]["actual"] == sum(die["counts"] for die in report["rounds"][0]["dice"])


def test_standard_input_is_read(file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(file.read_bytes())))

    assert main(["verify", "-"]) == 0
    assert "Verified" in capsys.readouterr().out


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_the_first_check_that_fails_is_named(file: Path, flags: list[str], capsys: Capture) -> None:
    file.write_bytes(file.read_bytes().replace(b'\\"quantity\\":1', b'\\"quantity\\":2', 1))

    assert main(["verify", str(file), *flags]) == 1
    told = capsys.readouterr().out
    assert "digests" in told
    assert "does not follow" in told


def test_another_key_is_not_enough(file: Path, capsys: Capture) -> None:
    assert main(["verify", str(file), "--public-key", Signer(ORIGIN, b"x" * 32).key]) == 1
    assert "checkpoint" in capsys.readouterr().out


def test_what_cannot_be_read_is_told_in_a_sentence(file: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["verify", str(tmp_path / "nothing")]) == 2
    assert "can't read" in capsys.readouterr().err
    assert main(["verify", str(tmp_path)]) == 2
    assert "can't read" in capsys.readouterr().err
    assert main(["verify", str(file), "--public-key", "no key"]) == 2
    assert "no key is not a key" in capsys.readouterr().err


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_no_bundle_draws_on_the_terminal(play: SignedPlay, flags: list[str], tmp_path: Path, capsys: Capture) -> None:
    """The name of a log may be any text, and a file may have any name."""
    drawing = "\x1b[2J\x1b[1;32mVerified\x1b[0m"
    data = bundle(stored(play), 1).replace(ORIGIN.encode(), json.dumps(drawing)[1:-1].encode())
    path = tmp_path / f"{drawing}.bundle"
    path.write_bytes(data)

    assert main(["verify", str(path), *flags]) == 1
    assert main(["verify", str(tmp_path / drawing), *flags]) == 2
    told = capsys.readouterr()
    assert "\x1b" not in told.out + told.err
    assert "\\x1b" in told.err


def test_a_file_that_never_ends_is_refused(capsys: Capture) -> None:
    with memory_growth_max(512):
        assert main(["verify", "/dev/zero"]) == 1
    assert "more than 33554432 bytes" in capsys.readouterr().out
