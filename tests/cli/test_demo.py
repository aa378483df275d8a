"""`liarsdice demo`: a game told in the terminal."""

import os
import subprocess
import sys

import pytest

from domain.rulebooks import BOOKS
from services.cli.dice_art import dice_picture
from services.cli.main import main


@pytest.mark.parametrize("rulebook", [book.id for book in BOOKS])
def test_a_game_of_every_book_is_told_to_its_end_and_checked(rulebook: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--rulebook", rulebook, "--seed", "4"]) == 0

    told = capsys.readouterr().out
    assert "Round 1" in told
    assert "the cups are lifted" in told
    assert "wins the game!" in told
    assert "check out" in told
    assert f"liarsdice demo --rulebook {rulebook} --seed 4" in told


def test_the_same_seed_tells_the_same_game(capsys: pytest.CaptureFixture[str]) -> None:
    main(["demo", "--seed", "9"])
    first = capsys.readouterr().out
    main(["demo", "--seed", "9"])

    assert capsys.readouterr().out == first


def test_dice_are_pictures_with_the_books_own_symbol() -> None:
    assert dice_picture((1, 6), "skull") == (
        "┌───────┐ ┌───────┐\n│       │ │ ●   ● │\n│   ☠   │ │ ●   ● │\n│       │ │ ●   ● │\n└───────┘ └───────┘"
    )
    assert "●" in dice_picture((1,), "one")


@pytest.mark.parametrize("pause", ["-3", "nan", "soon", "1e9"])
def test_a_pause_is_a_number_of_seconds(pause: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["demo", "--pause", pause])

    assert "a number of seconds from 0 to 3600 is needed" in capsys.readouterr().err


@pytest.mark.parametrize("environment", [{"PYTHONIOENCODING": "ascii"}, {"COLUMNS": "40"}])
def test_where_dice_cannot_be_drawn_they_are_written(environment: dict[str, str]) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "services.cli", "demo", "--seed", "1"],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
    )

    assert b"[4] " in told.stdout
    assert "┌".encode() not in told.stdout


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    line = f"{sys.executable} -m services.cli demo --seed 1 | head -n 1"
    shell = subprocess.run(["/bin/bash", "-o", "pipefail", "-c", line], check=False, capture_output=True)

    assert shell.returncode == 0
    assert not shell.stderr
