"""Decisions as lines of JSON, as CSV and as Parquet."""

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from domain.statistics.answers import DecisionMade
from domain.values import Value
from services.export.comma_separated import line_of, writers_of
from services.export.decision_rows import DECISION_COLUMNS, DecisionRow, cells_of_decision
from services.export.parquet import ParquetTable

_ENCODER = msgspec.json.Encoder()
_WRITERS = writers_of(DecisionRow)


class Table(Protocol):
    """One table in progress: the bytes at its beginning, for some decisions, and at its end. Any of them may be empty."""

    def head(self) -> bytes:
        """The bytes before the first decision."""

    def take(self, decisions: Sequence[DecisionMade]) -> bytes:
        """The bytes to write after taking some decisions."""

    def tail(self) -> bytes:
        """The bytes after the last decision."""


class TableFormat(Value, frozen=True):
    """A format of tables, with its media type and file ending."""

    begin: Callable[[], Table]
    media_type: str
    suffix: str


class _Lines:
    """Each decision as JSON on a line, as lists over HTTP have it."""

    def head(self) -> bytes:
        """Nothing."""
        return b""

    def take(self, decisions: Sequence[DecisionMade]) -> bytes:
        """The lines of some decisions."""
        return b"".join(_ENCODER.encode(made) + b"\n" for made in decisions)

    def tail(self) -> bytes:
        """Nothing."""
        return b""


class _CommaSeparated:
    """A line for each decision, after a line of headings."""

    def head(self) -> bytes:
        """The headings."""
        return (",".join(DECISION_COLUMNS) + "\r\n").encode()

    def take(self, decisions: Sequence[DecisionMade]) -> bytes:
        """The lines of some decisions."""
        return "".join(line_of(cells_of_decision(made), _WRITERS) for made in decisions).encode()

    def tail(self) -> bytes:
        """Nothing."""
        return b""


class _Parquet:
    """The same rows by columns."""

    def __init__(self) -> None:
        """Refuse at once if pyarrow is not installed."""
        self._table = ParquetTable(DecisionRow)

    def head(self) -> bytes:
        """The beginning of the file."""
        return self._table.head()

    def take(self, decisions: Sequence[DecisionMade]) -> bytes:
        """A group of rows once there are enough of them."""
        return self._table.add(map(cells_of_decision, decisions))

    def tail(self) -> bytes:
        """The rest of the rows, and the index of the file."""
        return self._table.tail()


TABLE_FORMATS = {
    "ndjson": TableFormat(_Lines, "application/x-ndjson", ".ndjson"),
    "csv": TableFormat(_CommaSeparated, "text/csv; charset=utf-8", ".csv"),
    "parquet": TableFormat(_Parquet, "application/vnd.apache.parquet", ".parquet"),
}
