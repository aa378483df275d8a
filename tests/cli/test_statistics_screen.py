"""Tables of statistics on screens of all widths."""

import re
from io import StringIO
from typing import get_args

import pytest
from rich.cells import cell_len
from rich.console import Console

from domain.statistics.answers import Leaderboard, LeaderboardEntry, Measure
from services.cli.columns import columns, padded, print_uncropped
from services.cli.statistics.screen import board_table

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


@pytest.mark.parametrize(
    "name", ["王小明と田中", "Zoe\u0301 A\u030angstro\u0308m", "🏴‍☠️ Flag", "\uff37\uff49\uff44\uff45", "👩‍👩‍👧 Family"]
)
def test_columns_align_whatever_characters_a_name_has(name: str) -> None:
    table = columns("", "name", "games")
    for cell in ("Ann", name, "Bartholomew the Long"):
        table.add_row(cell, "7")
    console = Console(file=StringIO(), width=80, color_system=None)
    console.print(table)
    assert isinstance(console.file, StringIO)
    lines = [line for line in console.file.getvalue().splitlines() if "7" in line]

    assert len({cell_len(line[: line.rindex("7")]) for line in lines}) == 1
    assert {cell_len(padded(one, 24)) for one in ("Ann", name)} == {24}
