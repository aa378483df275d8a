"""`liarsdice bench` prints what it measured."""

import json

import pytest

from domain.rulebooks import BOOKS
from services.cli import bench
from services.cli.main import main


def test_the_benchmark_measures_every_book_and_the_growth_with_players_and_rounds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the aim is met on a busy machine is not for a test to say: both exit codes are fine."""
    monkeypatch.setattr(bench, "_REPEATS", 1)  # They only make the figures more exact.
    assert main(["bench", "--games", "2", "--tries", "1"]) in (0, 1)

    printed = capsys.readouterr().out
    for book in BOOKS:
        assert book.id in printed
    assert "Growth with players" in printed
    assert "quarter 4" in printed


def test_the_figures_as_json_are_one_object(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "_REPEATS", 1)
    assert main(["bench", "--games", "1", "--tries", "1", "--json"]) in (0, 1)

    (line,) = capsys.readouterr().out.splitlines()
    measured = json.loads(line)
    assert [one["rulebook"] for one in measured["rulebooks"]] == [book.id for book in BOOKS]
    assert all(one["microseconds_per_command"] > 0 for one in (*measured["rulebooks"], *measured["players"]))
    assert len(measured["progress"]["quarters"]) == 4


@pytest.mark.parametrize("games", ["0", "-1", "few"])
def test_there_must_be_games_to_measure(games: str) -> None:
    with pytest.raises(SystemExit):
        main(["bench", "--games", games])
