"""What foreign texts can do to a terminal: nothing but be read."""

import ast
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.table import Table
from rich.text import Text

from domain.events import GameAbandoned, GameEnded, PlayerJoined, RoundStarted
from domain.statistics.answers import Leaderboard, LeaderboardEntry
from infra.failure import CommandFailed
from services.cli import main as command
from services.cli.columns import print_uncropped
from services.cli.output import output
from services.cli.statistics.screen import board_table
from services.cli.teller import Teller
from services.cli.terminal import PipedConsole, printable, say, say_json

Capture = pytest.CaptureFixture[str]
GREEN = "\x1b[2J\x1b[1;32mVerified\x1b[0m: all of it\r\n\u2028[green]Verified[/]\x9b32m\x7f\u202e"
"""A name that would clear the screen, draw its own green word, begin lines and turn the reading direction."""


@pytest.fixture(autouse=True)
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A console that would show colours, as at a terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "300")


def check_quiet(text: str, lines: int) -> None:
    """No colour around a forged word, no character that a terminal obeys except our own colours, no added line."""
    assert "Verified" in text
    assert "\x1b[1;32mVerified" not in text
    assert "\x1b[2J" not in text
    assert not {"\r", "\u2028", "\x9b", "\x7f", "\u202e"} & set(text)
    assert text.count("\n") == lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ann", "Ann"),
        ("ブァボ Ünï", "ブァボ Ünï"),
        ("\U0001f3f4\u200d\u2620\ufe0f", "\U0001f3f4\u200d\u2620\ufe0f"),
        ("A\u200dnn", "A\\u200dnn"),
        ("a\tb\nc", "a\\tb\\nc"),
        ("\x1b[31m\x07\x7f\x85\x9b", "\\x1b[31m\\x07\\x7f\\x85\\x9b"),
        ("\u2028\u202e\u2066\ufeff\U000e0041\ud800", "\\u2028\\u202e\\u2066\\ufeff\\U000e0041\\ud800"),
    ],
)
def test_what_is_not_printable_is_escaped_and_all_else_stays(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_sentence_is_one_line(capsys: Capture) -> None:
    say(f"can't read {GREEN}", file=sys.stderr)
    check_quiet(capsys.readouterr().err, 1)


def test_json_says_the_same_without_controls(capsys: Capture) -> None:
    say_json({"sentence": GREEN})
    told = capsys.readouterr().out
    check_quiet(told, 1)
    assert json.loads(told) == {"sentence": GREEN}
    say_json({"name": "Zoë"})
    assert "Zoë" in capsys.readouterr().out


def test_no_text_on_the_console_draws(capsys: Capture) -> None:
    console = PipedConsole()
    table = Table(GREEN, title=GREEN)
    table.add_row(GREEN)
    console.print(GREEN)
    console.print(Text.assemble((GREEN, "bold"), " sits down."))
    check_quiet(capsys.readouterr().out, 2)
    console.print(table)
    told = capsys.readouterr().out
    check_quiet(told, told.count("\n"))


def test_a_name_at_the_table_draws_nothing(capsys: Capture) -> None:
    console = PipedConsole()
    teller = Teller(console, GREEN, [GREEN, "Bob"])
    events = (
        PlayerJoined(0, "ann", GREEN, "human", b"", "server"),
        RoundStarted(number=1, opener=0, palafico=False, dice_counts=(1, 1)),
        GameAbandoned(GREEN),
        GameEnded(0, ((0,), (1,)), None),
    )
    printed = 0
    for event in events:
        lines = teller.lines(event)
        printed += len(lines)
        console.print(*lines, sep="\n")
    console.print(*teller.cup(0, (1, 2)), sep="\n")
    check_quiet(capsys.readouterr().out, printed + 5)


def test_a_name_on_a_leaderboard_draws_nothing(capsys: Capture) -> None:
    entry = LeaderboardEntry(
        position=1, player_id="ann", name=GREEN, kind="human", games=1, value=1, low=None, high=None, count=1
    )
    board = Leaderboard(
        measure="games", rulebook=None, since=None, until=None, played="ended", entries=(entry,), more=False
    )
    print_uncropped(PipedConsole(), board_table(board))
    told = capsys.readouterr().out
    check_quiet(told, told.count("\n"))


@pytest.mark.parametrize("subcommand", command.SUBCOMMANDS)
def test_why_a_command_fails_is_one_quiet_line(
    subcommand: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def fail(*_: Any) -> int:
        raise CommandFailed(GREEN)

    monkeypatch.setattr(command, "_run", fail)
    assert command.main([subcommand]) == command.FAILED
    check_quiet(capsys.readouterr().err, 1)


@pytest.mark.parametrize("arguments", [[GREEN], ["verify", "file", GREEN], ["demo", "--rulebook", GREEN]])
def test_arguments_that_make_no_sense_are_quoted_in_a_printable_form(arguments: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        command.main(arguments)
    told = capsys.readouterr().err.splitlines()[-1]
    check_quiet(told, 0)


def test_data_on_a_terminal_keeps_its_lines_and_nothing_else_that_a_terminal_obeys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = io.StringIO()
    monkeypatch.setattr(written, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", written)
    with output("-") as out:
        for byte in "ö\tname\n\x1b[1;32mVerified\x1b[0m\r\n".encode():
            out.write(bytes([byte]))
    assert written.getvalue() == "ö\tname\n\\x1b[1;32mVerified\\x1b[0m\\r\n"


def test_every_subcommand_writes_through_the_one_module_for_it() -> None:
    """A `print` or a console of its own would show foreign texts raw."""
    folder = Path(command.__file__).parent
    found = [
        f"{path.relative_to(folder)}:{node.lineno}"
        for path in sorted(folder.rglob("*.py"))
        if path.name != "terminal.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"print", "Console"}
    ]
    assert not found
