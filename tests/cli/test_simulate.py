"""`liarsdice simulate`, as someone at a terminal uses it."""

import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from domain.history.record import decode_record
from domain.notation import read_games
from domain.rulebooks import BOOKS
from services.cli.main import main

SIMULATE = ["simulate", "--rulebook"]


def simulated(tmp_path: Path, *flags: str) -> bytes:
    out = tmp_path / "games"
    assert main([*SIMULATE, *flags, "--out", str(out)]) == 0
    return out.read_bytes()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    first = simulated(tmp_path, "all", "--games", "40", "--seed", "5")

    assert simulated(tmp_path, "all", "--games", "40", "--seed", "5") == first
    assert simulated(tmp_path, "all", "--games", "40", "--seed", "6") != first


def test_a_new_process_gives_the_same_bytes_too(tmp_path: Path) -> None:
    """No hash seed or other accident of a process gets into a game."""
    here = simulated(tmp_path, "bidding-track", "--games", "5", "--seed", "3")

    command = [sys.executable, "-m", "services.cli", *SIMULATE, "bidding-track", "--games", "5", "--seed", "3"]
    there = subprocess.run(command, check=True, capture_output=True)

    assert there.stdout == here


def test_all_covers_every_book_and_option_and_every_game_has_a_winner(tmp_path: Path) -> None:
    records = [decode_record(line) for line in simulated(tmp_path, "all", "--games", "200").splitlines()]

    assert len(records) == 200
    assert {record.rulebook for record in records} == {book.id for book in BOOKS}
    assert {record.options.chips for record in records} == {True, False}
    assert {record.options.wild_aces for record in records} == {True, False}
    assert len({record.options.raise_rule for record in records}) == 3
    assert all(record.winner is not None for record in records)
    assert any(record.forfeits for record in records)
    assert any(round_.palafico for record in records for round_ in record.rounds)


def test_a_record_has_the_published_fields(tmp_path: Path) -> None:
    game = json.loads(simulated(tmp_path, "bidding-track", "--seed", "1", "--option", "chips=true"))

    assert list(game)[:12] == [
        *("record_version", "game_id", "rulebook", "rulebook_version", "options", "seats"),
        *("opening_rolls", "rounds", "forfeits", "winner", "places", "chips"),
    ]
    assert {"chips": True, "wild_aces": False, "raise_rule": "quantity_or_face", "dice_each": 5}.items() <= game[
        "options"
    ].items()
    assert game["seats"][0].keys() >= {"seat", "player_id", "name", "kind"}
    first = game["rounds"][0]
    assert first.keys() >= {"number", "opener", "palafico", "dice_counts", "antes", "actions", "dice", "result"}
    assert first["antes"][0] == {"seat": 0, "round_pot": 1, "game_pot": 1}
    assert first["actions"][0] == {"type": "roll", "seat": 0, "at": first["actions"][0]["at"], "version": 17}
    assert first["result"].keys() == {"bid", "challenger", "actual", "penalties", "winner", "eliminated"}
    assert first["result"]["bid"].keys() == {"seat", "quantity", "face"}
    assert first["result"]["penalties"][0].keys() == {"seat", "penalty", "lost"}
    assert sum(game["chips"]) == 50 * len(game["seats"])


def test_opening_rolls_are_listed_as_they_were_rolled(tmp_path: Path) -> None:
    lines = simulated(tmp_path, "pirates", "--games", "60", "--players", "4").splitlines()
    rolls = [json.loads(line)["opening_rolls"] for line in lines]

    assert all([roll["seat"] for roll in game[:4]] == [0, 1, 2, 3] for game in rolls)
    tied = [game for game in rolls if len(game) > 4]
    assert tied, "sixty games have ties"
    for game in tied:
        highest = max(roll["dice"] for roll in game[:4])
        assert [roll["seat"] for roll in game[:4] if roll["dice"] == highest] == [
            roll["seat"] for roll in game[4 : 4 + sum(first["dice"] == highest for first in game[:4])]
        ]


def test_games_can_be_written_as_notation(tmp_path: Path) -> None:
    text = simulated(tmp_path, "all", "--games", "6", "--format", "notation").decode()
    records = simulated(tmp_path, "all", "--games", "6").splitlines()

    assert list(read_games(text)) == [decode_record(line) for line in records]


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["bridge"], "There is no rulebook bridge"),
        (["pirates", "--players", "5"], "A table of pirates has 2 to 4 seats, not 5. (PI-1)"),
        (["pirates", "--option", "chips=true"], "The book pirates has no option chips=true"),
        (["pirates", "--option", "chips=perhaps"], "the option chips takes true or false, not 'perhaps'"),
        (["pirates", "--option", "dice_each=eleven"], "the option dice_each takes a whole number"),
        (["single-hand", "--option", "raise_rule=higher"], "the option raise_rule takes quantity_or_face, same_face"),
        (["pirates", "--option", "colour=red"], "there is no option 'colour'"),
        (["pirates", "--option", "chips"], "--option takes NAME=VALUE"),
        (["pirates", "--bots", "genius"], "there is no bot 'genius'"),
        (["all", "--option", "chips=true"], "--rulebook all plays every option already"),
        (["all", "--players", "21"], "no rulebook seats 21 players"),
        (["pirates", "--option", "dice_each=3", "--option", "dice_each=4"], "the option dice_each is given twice"),
        (["pirates", "--out", ""], "--out takes the name of a file"),
        (["pirates", "--out", "/"], "--out takes the name of a file, not '/'"),
        (["pirates", "--out", "no/such/folder/games"], "can't write no/such/folder/games: No such file"),
    ],
)
def test_what_cannot_be_simulated_is_told_in_a_sentence(
    flags: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SIMULATE, *flags]) == 2

    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("flags", [["--games", "0"], ["--games", "1e3"], ["--games", "many"], ["--seed", "x"], []])
def test_flags_that_are_not_numbers_are_refused_before_anything_is_played(flags: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["simulate", "--rulebook", "pirates", *flags] if flags else ["simulate"])

    assert stopped.value.code == 2


def test_a_file_that_was_there_stays_whole_when_a_run_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "games"
    out.write_text("precious")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("services.cli.simulate.record_of", interrupted)
    assert main([*SIMULATE, "pirates", "--out", str(out)]) == 130

    assert out.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [out]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    """Only a file is replaced; a device or a pipe at that name is not."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["/bin/cat", pipe], stdout=subprocess.PIPE) as reader:
        assert main([*SIMULATE, "pirates", "--out", str(pipe)]) == 0
        assert reader.stdout is not None
        assert decode_record(reader.stdout.read()).rulebook == "pirates"

    assert pipe.is_fifo()


def test_a_link_is_followed_and_the_file_keeps_its_mode(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)

    assert main([*SIMULATE, "pirates", "--out", str(link)]) == 0

    assert link.is_symlink()
    assert decode_record(target.read_bytes()).rulebook == "pirates"
    assert target.stat().st_mode & 0o777 == 0o600


def test_being_terminated_leaves_no_unfinished_file(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "services.cli", *SIMULATE, "all", "--games", "100000"]
    with subprocess.Popen([*command, "--out", tmp_path / "games"]) as process:
        while not list(tmp_path.iterdir()):
            time.sleep(0.05)
        process.terminate()

    assert process.returncode == 143
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
@pytest.mark.parametrize("command", ["simulate --rulebook pirates --games 30", "demo --seed 1"])
def test_a_standard_output_that_takes_nothing_is_told_in_a_sentence(command: str, redirection: str) -> None:
    line = f"{sys.executable} -m services.cli {command} {redirection}"
    shell = subprocess.run(["/bin/bash", "-c", line], check=False, capture_output=True)

    assert b"Traceback" not in shell.stderr
    if redirection == ">/dev/full":
        assert shell.returncode == 2
        assert b"No space left on device" in shell.stderr


def test_a_seed_of_any_length_will_do(tmp_path: Path) -> None:
    assert simulated(tmp_path, "pirates", "--seed", "9" * 75) != simulated(
        tmp_path, "pirates", "--seed", "-" + "9" * 75
    )


def test_an_option_may_be_none(tmp_path: Path) -> None:
    assert decode_record(simulated(tmp_path, "palafico", "--option", "opener=none")).options.opener is None


def test_all_plays_one_game_of_each_kind_if_no_number_is_said(tmp_path: Path) -> None:
    records = [decode_record(line) for line in simulated(tmp_path, "all", "--players", "5").splitlines()]

    assert {record.rulebook for record in records} == {"bidding-track", "single-hand", "prediction-track"}
    assert len({(record.rulebook, record.options) for record in records}) == len(records)
    assert any(record.options.chips and record.forfeits for record in records)


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = f"{sys.executable} -m services.cli simulate --rulebook pirates --games 300 | head -n 1"
    shell = subprocess.run(["/bin/bash", "-o", "pipefail", "-c", command], check=False, capture_output=True)

    assert shell.stdout.count(b"\n") == 1
    assert b"Traceback" not in shell.stderr
    assert b"Exception" not in shell.stderr


def test_a_progress_bar_is_shown_on_a_terminal_only(tmp_path: Path) -> None:
    out = str(tmp_path / "games")
    command = [sys.executable, "-m", "services.cli", *SIMULATE, "pirates", "--games", "30", "--out", out]
    main_end, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    subprocess.run(command, check=True, stderr=terminal, env=environment)
    on_terminal = os.read(main_end, 65_536)
    os.close(terminal)
    os.close(main_end)
    piped = subprocess.run(command, check=True, capture_output=True).stderr

    assert b"playing" in on_terminal
    assert b"/30" in on_terminal
    assert b"playing" not in piped
