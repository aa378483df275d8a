"""`liarsdice demo`: a game told in the terminal."""

import pytest

from domain.rulebooks import BOOKS
from services.cli import main
from services.pictures import dice_picture


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
