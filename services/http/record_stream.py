"""Answers with games in bulk. A piece is made only when the reader has taken the one before."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Annotated, Any, Literal, NamedTuple, cast

from litestar import Response
from litestar.params import QueryParameter
from litestar.response import Stream

from services.archive.exports import CourseOf
from services.archive.refusals import ExportInterrupted
from services.export.formats import FORMATS
from services.http.admission import Reader
from services.http.jobs import Exported
from services.http.library import Library
from services.http.responses import freshness_headers

_KINDS = {name: (FORMATS[name], FORMATS[name].media_type.partition(";")[0]) for name in ("ndjson", "csv", "notation")}
"""The formats, each with its media type without parameters."""
MEDIA_TYPES = tuple(kind for _, kind in _KINDS.values())
RESUME_HEADER = "Resume-Token"

FormWanted = Annotated[
    Literal["ndjson", "csv", "notation"],
    QueryParameter(
        name="format",
        description="`ndjson`: a record on each line; `csv`: a table of actions; `notation`: text for people.",
    ),
]
AfterToken = Annotated[
    str,
    QueryParameter(description="The `Resume-Token` of an earlier export: only what is new since then."),
]


class Bulk(NamedTuple):
    """Where the games of an export come from."""

    models: tuple[str, ...]
    """The read models that they are read from."""
    begin: Callable[[], Awaitable[CourseOf[Any]]]
    part: Callable[[CourseOf[Any]], Awaitable[Exported]]
    """The next games of a course."""


class Filed(NamedTuple):
    """The file that an export becomes."""

    name: str
    media_type: str
    head: bytes
    """The bytes before the first part."""


async def record_stream(library: Library, reader: Reader, form: str, bulk: Bulk) -> Response[str]:
    """All games of an export, one after the other."""
    kind, media_type = _KINDS[form]
    return await bulk_stream(library, reader, Filed(f"liarsdice{kind.suffix}", media_type, kind.begin().head()), bulk)


async def bulk_stream(library: Library, reader: Reader, filed: Filed, bulk: Bulk) -> Response[str]:
    """All parts of an export, one after the other."""
    freshness = await library.watermarks.of(*bulk.models)  # Before the read, which then has at least so much.
    export = _Export(library, reader, filed.head, bulk)
    pieces = _counted(library, reader, export.pieces())
    first = await anext(pieces)  # A failure up to here can still become an answer with its own status.
    headers = {
        **freshness_headers(freshness),
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="{filed.name}"',
        RESUME_HEADER: export.resume_token,
    }
    stream: Any = Stream(_joined(first, pieces), media_type=filed.media_type, headers=headers)
    return cast("Response[str]", stream)


class _Export:
    """One export, which becomes known bit by bit."""

    def __init__(self, library: Library, reader: Reader, head: bytes, bulk: Bulk) -> None:
        self._library, self._reader, self._head, self._bulk = library, reader, head, bulk
        self.resume_token = ""
        """The token to go on after all of it; known with the first piece."""

    async def pieces(self) -> AsyncIterator[bytes]:
        """The export, piece by piece."""
        course = await self._bulk.begin()
        self.resume_token, before = course.last_token, self._head
        while True:
            if self._library.draining.is_set():
                raise ExportInterrupted
            await self._reader.renew()
            part = await self._bulk.part(course)
            yield before + part.body
            course, before = part.course, b""
            if course.is_over:
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
