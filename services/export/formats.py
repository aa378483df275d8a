"""The formats that games are exported in. Each takes one record after the other and holds no more than a few of them."""

from collections.abc import AsyncIterable, AsyncIterator, Callable
from typing import Protocol

from domain.values import Value
from services.export.comma_separated import CommaSeparated
from services.export.lines import Lines, Notation
from services.export.parquet import Parquet


class Form(Protocol):
    """One export under way: what it begins with, what each record adds, what it ends with. Any of it may be nothing."""

    def head(self) -> bytes:
        """What comes before the first record."""

    def take(self, record: bytes) -> bytes:
        """What there is to write once a record, as JSON, has come."""

    def tail(self) -> bytes:
        """What comes after the last record."""


class Format(Value, frozen=True):
    """A format, and how others call it."""

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
    """The pieces of an export, as records come."""
    yield form.head()
    async for record in records:
        if piece := form.take(record):
            yield piece
    yield form.tail()
