"""The line editor makes the same line from keys as a terminal would."""

import pytest

from services.cli.play.line_editor import LineEditor


def lines_of(*reads: bytes) -> tuple[list[str | None], str, str]:
    """The lines that were finished, what stands of the next one, and what was written."""
    finished: list[str | None] = []
    written: list[str] = []
    editor = LineEditor(written.append, finished.append)
    for read in reads:
        editor.take(read)
    return finished, editor.text, "".join(written)


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (b"3 5\n", "3 5"),
        (b"3 6\x7f5\r", "3 5"),
        (b"\x7f\x7fd\n", "d"),
        (b"3 5\x15d\n", "d"),
        (b"3 5 s 5\x17\x176\n", "3 5 6"),
        (b"3\x1b[D\x1b[1;5C\x1bOA 5\n", "3 5"),
        (b"\x1bd\n", "d"),
        (b"d\t\x01\x04\n", "d"),
        (b"\n", ""),
    ],
)
def test_keys_make_a_line(keys: bytes, line: str) -> None:
    assert lines_of(keys)[:2] == ([line], "")


def test_a_character_may_come_in_pieces_and_takes_its_columns_with_it() -> None:
    raw = "é😀".encode()

    assert lines_of(raw[:1], raw[1:4], raw[4:]) == ([], "é😀", "é😀")
    assert lines_of(raw, b"\x7f\x7f") == ([], "", "é😀" + "\b \b" * 3)


def test_several_lines_may_come_at_once_and_what_is_half_typed_stays() -> None:
    assert lines_of(b"o\n3 5\n2 ") == (["o", "3 5"], "2 ", "o\n3 5\n2 ")


def test_the_end_is_told_where_a_line_would_begin() -> None:
    assert lines_of(b"\x04") == ([None], "", "")
