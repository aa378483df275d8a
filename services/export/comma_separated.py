"""CSV: a line for each row, as spreadsheets and programs read it."""

import csv
from functools import lru_cache
from io import StringIO
from typing import Any, get_type_hints

from msgspec.structs import astuple

from domain.history.record import decode_record
from services.export.rows import COLUMNS, Row, rows_of

_FORMULA_SIGNS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""A spreadsheet takes a text that begins like this for a formula; East Asian keyboards have wide forms of some."""
_MARK = "'"


class CommaSeparated:
    """CSV in UTF-8 with a line of headings; a cell with a comma, a quote or a line end is quoted."""

    def __init__(self) -> None:
        self._text = StringIO()
        self._writer = csv.writer(self._text, lineterminator="\r\n")

    def head(self) -> bytes:
        """The headings."""
        return self._written([COLUMNS])

    def take(self, record: bytes) -> bytes:
        """The lines of a game."""
        return self._written([_cells(row) for row in rows_of(decode_record(record))])

    def tail(self) -> bytes:
        """Nothing."""
        return b""

    def _written(self, lines: list[Any]) -> bytes:
        self._writer.writerows(lines)
        written = self._text.getvalue()
        self._text.seek(0)
        self._text.truncate()
        return written.encode()


def harmless(text: str | None) -> str | None:
    """A text that no spreadsheet takes for a formula: if it could be one, it gets a quotation mark before it.

    A text that begins with the mark itself gets one more. So removing one mark always gives the original text back.
    """
    return f"{_MARK}{text}" if text is not None and text.startswith((_MARK, *_FORMULA_SIGNS)) else text


def _cells(row: Row) -> list[Any]:
    cells = list(astuple(row))
    for column, write in _WRITTEN:
        cells[column] = write(cells[column])
    return cells


@lru_cache(maxsize=10_000)
def _dice(cell: tuple[int, ...] | None) -> str | None:
    return None if cell is None else " ".join(map(str, cell))


_OF_KINDS = {str: harmless, bool: {None: None, False: "false", True: "true"}.__getitem__, tuple[int, ...]: _dice}
_WRITTEN: list[tuple[int, Any]] = [
    (column, write)
    for column, hint in enumerate(get_type_hints(Row).values())
    for kind, write in _OF_KINDS.items()
    if hint in (kind, kind | None)
]
"""The columns that don't just hold numbers, and the functions that write their cells."""
