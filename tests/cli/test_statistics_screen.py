"""Tables of statistics on screens of all widths."""

import re
from io import StringIO
from typing import get_args

import pytest
from rich.console import Console

from domain.statistics.answers import Leaderboard, LeaderboardEntry, Measure
from services.cli.statistics.screen import board_table, print_uncropped

IDS = ("sim.calculating", "bot.calculating", "0192f3c4-7d1e-7abc-8def-0123456789ab", "x" * 64)


def board(measure: Measure) -> Leaderboard:
    entries = tuple(
        LeaderboardEntry(
            position=98 + number,
            player_id=player_id,
            name="Calculating Captain",
            kind="bot",
            games=1_234_567,
            count=7_654_321,
            value=0.5,
            low=None if measure == "games" else 0.25,
            high=None if measure == "games" else 0.75,
        )
        for number, player_id in enumerate(IDS)
    )
    return Leaderboard(
        measure=measure, rulebook=None, since=None, until=None, played="ended", entries=entries, more=False
    )


def printed(measure: Measure, width: int, *, terminal: bool) -> str:
    console = Console(file=StringIO(), width=width, force_terminal=terminal, color_system=None)
    print_uncropped(console, board_table(board(measure)))
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize("measure", get_args(Measure))
@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_number_and_no_id_of_a_leaderboard_is_ever_cropped(measure: Measure, width: int) -> None:
    shown = printed(measure, width, terminal=True)
    # The second column is folded where there is no room: its pieces are put together again.
    (start,) = [line.index("player") for line in shown.splitlines() if " player " in line]
    pieces = "".join(re.sub(r"\sbot\s.*|\s", "", line[start:]) for line in shown.splitlines())

    assert "…" not in shown
    assert shown.count("1,234,567") >= len(IDS)
    assert shown.count("7,654,321") == (0 if measure in {"rating", "games"} else len(IDS))
    assert all(re.search(rf"^ *{98 + number} ", shown, re.MULTILINE) for number in range(len(IDS)))
    assert all(player_id in pieces for player_id in IDS)


@pytest.mark.parametrize("measure", get_args(Measure))
def test_through_a_pipe_each_player_is_one_line(measure: Measure) -> None:
    lines = printed(measure, 80, terminal=False).splitlines()

    assert [sum(player_id in line for line in lines) for player_id in IDS] == [1, 1, 1, 1]
    assert all("1,234,567" in line for line in lines if "Captain" in line)
