"""The export formats. Each takes one record after the other and keeps only a few of them in memory."""

from collections.abc import AsyncIterable, AsyncIterator, Callable
from typing import Protocol

from domain.values import Value
from services.export.comma_separated import CommaSeparated
from services.export.lines import Lines, Notation
from services.export.parquet import Parquet


class Form(Protocol):
    """One export in progress: the bytes at its beginning, for each record, and at its end. Any of them may be empty."""

    def head(self) -> bytes:
        """The bytes before the first record."""

    def take(self, record: bytes) -> bytes:
        """The bytes to write after taking a record, which comes as JSON."""

    def tail(self) -> bytes:
        """The bytes after the last record."""


class Format(Value, frozen=True):
    """A format, with its media type and file ending."""

    begin: Callable[[], Form]
    media_type: str
    suffix: str


FORMATS = {
    "ndjson": Format(Lines, "application/x-ndjson", ".ndjson"),
    "csv": Format(CommaSeparated, "text/csv; charset=utf-8", ".csv"),
    "notation": Format(Notation, "text/plain; charset=utf-8", ".txt"),
    "parquet": Format(Parquet, "application/vnd.apache.parquet", ".parquet"),
}


async def exported(records: AsyncIterable[bytes], form: Form) -> AsyncIterator[bytes]:
    """The pieces of an export, one after the other as records come."""
    yield form.head()
    async for record in records:
        if piece := form.take(record):
            yield piece
    yield form.tail()
