"""Answers with records in bulk. A piece is made only when the reader has taken the one before."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Annotated, Any, Literal, cast

from litestar import Response
from litestar.params import QueryParameter
from litestar.response import Stream

from services.archive.archive import Place
from services.archive.refusals import ExportInterrupted
from services.export.formats import FORMATS
from services.http.admission import Reader
from services.http.jobs import Exported
from services.http.library import Library

_KINDS = {name: (FORMATS[name], FORMATS[name].media_type.partition(";")[0]) for name in ("ndjson", "csv", "notation")}
"""The formats, each with its media type without parameters."""
MEDIA_TYPES = tuple(kind for _, kind in _KINDS.values())

FormWanted = Annotated[
    Literal["ndjson", "csv", "notation"],
    QueryParameter(
        name="format",
        description="`ndjson`: a record on each line; `csv`: a table of actions; `notation`: text for people.",
    ),
]
PartAfter = Callable[[Place | None], Awaitable[Exported]]
"""The part of an export after a place."""


async def record_stream(library: Library, reader: Reader, form: str, part_after: PartAfter) -> Response[str]:
    """All parts of an export, one after the other."""
    kind, media_type = _KINDS[form]
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="liarsdice{kind.suffix}"',
    }
    pieces = _counted(library, reader, _pieces(library, reader, part_after))
    first = await anext(pieces)  # A failure up to here can still become an answer with its own status.
    stream: Any = Stream(_joined(first, pieces), media_type=media_type, headers=headers)
    return cast("Response[str]", stream)


async def _pieces(library: Library, reader: Reader, part_after: PartAfter) -> AsyncIterator[bytes]:
    after = None
    while True:
        if library.draining.is_set():
            raise ExportInterrupted
        await reader.renew()
        part = await part_after(after)
        yield part.body
        after = part.last
        if after is None:
            return


async def _counted(library: Library, reader: Reader, pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """The pieces of an export, which counts as a stream from the first of them on."""
    with library.metrics.stream("export"), library.streams.opened(reader.payer):
        async for piece in pieces:
            yield piece


async def _joined(first: bytes, rest: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    async with aclosing(rest):
        yield first
        async for piece in rest:
            yield piece
