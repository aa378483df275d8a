"""Tables for people: columns that align whatever the names in them are, and that no screen crops."""

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Column, Table
from rich.text import Text

_PIPE_WIDTH = 1_000
_TEXT_WIDTH_MIN = 16
"""Texts are folded if there is no room, but never to less than this."""
_BETWEEN = 3


def columns(title: str, *headers: str) -> Table:
    """A table whose first column may be folded."""
    table = Table(*headers, title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for column in table.columns[1:]:
        column.no_wrap = True
    return table


def fold(column: Column) -> None:
    """Let a column of texts be folded where there is no room."""
    column.no_wrap, column.overflow = False, "fold"


def print_uncropped(console: Console, shown: Table | Text) -> None:
    """Print a table with all its numbers and ids complete, even if its lines get too long for the screen."""
    if not console.is_terminal:
        # A program reads it, or a file keeps it: there is no edge of a screen.
        console.width = _PIPE_WIDTH
    elif isinstance(shown, Table):
        console.width = max(console.width, sum(_width_min(column) + _BETWEEN for column in shown.columns))
    console.print(shown)


def padded(text: str, width: int) -> str:
    """The text with blanks up to this many columns: some characters take two of them, and some take none."""
    return text + " " * (width - cell_len(text))


def _width_min(column: Column) -> int:
    """The least width of a column: numbers and intervals need all of theirs."""
    return max(_length(cell) for cell in (column.header, *column.cells)) if column.no_wrap else _TEXT_WIDTH_MIN


def _length(cell: RenderableType) -> int:
    return cell.cell_len if isinstance(cell, Text) else cell_len(str(cell))
