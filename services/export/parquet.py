"""Parquet: the same rows by columns, with types, written in groups so that memory holds only one group.

pyarrow is large and most users don't need it, so it is imported only for this format.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from io import RawIOBase
from typing import Any, get_type_hints

from domain.history.record import decode_record
from domain.refusals import Malformed
from services.export.refusals import ParquetMissing
from services.export.rows import Group, Moment, Row, cells_of

ROWS_OF_BATCH = 2_000
"""How many rows are turned into columns at a time; columns take much less memory."""
ROWS_OF_GROUP = 50_000


class ParquetTable:
    """A Parquet file of some kind of rows, piece by piece."""

    def __init__(self, row: type) -> None:
        """Refuse at once if pyarrow is not installed."""
        try:
            self._arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        except ImportError:
            raise ParquetMissing from None
        self._schema = _schema(self._arrow, row)
        self._file = _Drained()
        self._writer = parquet.ParquetWriter(self._file, self._schema, compression="zstd")
        self._rows: list[Group] = []
        self._batches: list[Any] = []

    def head(self) -> bytes:
        """The beginning of the file."""
        return self._file.drained()

    def add(self, rows: Iterable[Group]) -> bytes:
        """A group of rows once there are enough of them; most rows add nothing yet."""
        self._rows += rows
        if len(self._rows) >= ROWS_OF_BATCH:
            self._turn()
        if sum(batch.num_rows for batch in self._batches) >= ROWS_OF_GROUP:
            self._write_group()
        return self._file.drained()

    def tail(self) -> bytes:
        """The rest of the rows, and the index of the file."""
        self._turn()
        self._write_group()
        self._writer.close()
        return self._file.drained()

    def _turn(self) -> None:
        """Turn the rows collected so far into columns."""
        columns = list(zip(*self._rows, strict=True)) or [()] * len(self._schema)
        arrays = [self._arrow.array(column, kind.type) for column, kind in zip(columns, self._schema, strict=True)]
        self._batches.append(self._arrow.record_batch(arrays, schema=self._schema))
        self._rows = []

    def _write_group(self) -> None:
        table = self._arrow.Table.from_batches(self._batches, self._schema)
        if table.num_rows:
            self._writer.write_table(table, row_group_size=table.num_rows)
        self._batches = []


class Parquet:
    """The actions of games."""

    def __init__(self) -> None:
        """Refuse at once if pyarrow is not installed."""
        self._table = ParquetTable(Row)

    def head(self) -> bytes:
        """The beginning of the file."""
        return self._table.head()

    def take(self, record: bytes) -> bytes:
        """A group of rows once there are enough of them; most records add nothing yet."""
        with _malformed():
            return self._table.add(row.flat for row in cells_of(decode_record(record)))

    def tail(self) -> bytes:
        """The rest of the rows, and the index of the file."""
        with _malformed():
            return self._table.tail()


@contextmanager
def _malformed() -> Iterator[None]:
    """A record may come from outside, with any number in it."""
    try:
        yield
    except (ValueError, OverflowError):
        raise Malformed(what="game record", problem="some number is too large for a table") from None


class _Drained(RawIOBase):
    """A file that passes its bytes on instead of keeping them."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self._pieces.append(bytes(piece))
        self._position += len(self._pieces[-1])
        return len(self._pieces[-1])

    def tell(self) -> int:
        return self._position

    def drained(self) -> bytes:
        """The bytes written since the last call."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _schema(arrow: Any, row: type) -> Any:
    """The columns of a kind of row with their types."""
    kinds = {
        str: arrow.string(),
        int: arrow.int32(),
        bool: arrow.bool_(),
        tuple[int, ...]: arrow.list_(arrow.int32()),
        Moment: arrow.timestamp("ms", tz="UTC"),
        float: arrow.float64(),
    }
    return arrow.schema(
        arrow.field(name, next(made for kind, made in kinds.items() if hint in (kind, kind | None)), _may_be_none(hint))
        for name, hint in get_type_hints(row).items()
    )


def _may_be_none(hint: Any) -> bool:
    return type(None) in getattr(hint, "__args__", ())
