"""The page about the notation tells the truth."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from domain.notation import read_game, write_game
from domain.notation.lines import words_of
from domain.refusals import Malformed
from tests.domain.notation.play import SETTINGS, game

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "notation.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\S+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
(EXAMPLE,) = [text for kind, text in BLOCKS if kind == "liarsdice"]
(REFUSED,) = [text for kind, text in BLOCKS if kind == "liarsdice-refused"]
GRAMMAR = list(dict.fromkeys(re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)))

STAMP = r"  @\d+ [+-]\d+\.\d{3}$"
PATTERNS = {
    "SEAT": r"\d+",
    "NUMBERS": r"\d+( \d+)*",
    "NUMBER": r"\d+",
    "MOMENT": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
    "ID": r"[A-Za-z0-9._-]{1,64}",
    "TEXT": r'"([^"\\]|\\"|\\\\)+"',
    "WORD": r"[a-z_]+",
    "VALUE": r"[a-z0-9_]+",
    "KIND": r"(human|bot)",
    "HOLDER": r"(player|server)",
    "REASON": r"(resigned|time)",
    "DICE": r"[1-6*]( [1-6*])*",
    "DIE": r"(die|dice)",
    "BID": r"\d+x[1-6*]",
    "RANKS": r"\d+( [>=] \d+)*",
}


def pattern(line: str) -> re.Pattern[str]:
    """What a line of the grammar looks like."""
    optional = re.escape(line).replace(r"\[", "(").replace(r"\]", ")?")
    return re.compile(re.sub("[A-Z]{2,}", lambda word: PATTERNS[word[0]], optional))


def test_the_page_has_no_other_blocks() -> None:
    assert [kind for kind, _ in BLOCKS] == ["liarsdice", "liarsdice-refused"]


def test_the_example_is_read_and_written_to_the_same_byte() -> None:
    assert write_game(read_game(EXAMPLE)) == EXAMPLE


@pytest.mark.parametrize("pair", REFUSED.strip("\n").split("\n\n"))
def test_the_lines_that_are_called_wrong_are_refused_as_the_page_says(pair: str) -> None:
    bad, told = pair.split("\n")
    number = int(told.removeprefix("line ").split(":")[0])
    lines = EXAMPLE.splitlines()

    with pytest.raises(Malformed) as refused:
        read_game("\n".join([*lines[: number - 1], bad, *lines[number:]]))

    assert str(refused.value) == f"This is not a valid game notation: {told}."


def test_the_table_has_every_line_that_is_ever_written_and_no_other() -> None:
    texts = [write_game(game(setting, seed)) for setting in SETTINGS for seed in range(10)]
    texts.append(write_game(replace(game(SETTINGS[0], 0), forked_from="friday-1", forked_version=12)))
    written = {
        re.sub(STAMP, "", line.split("  # ")[0].strip())
        for text in texts
        for line in text.splitlines()
        if words_of(line)
    }
    patterns = [pattern(line) for line in GRAMMAR]

    assert [line for line in written if not any(form.fullmatch(line) for form in patterns)] == []
    assert [form.pattern for form in patterns if not any(form.fullmatch(line) for line in written)] == []
