"""The route that exports games in bulk. It makes a piece only when the reader has taken the one before."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Literal, cast

from litestar import Response, get
from litestar.di import Provide
from litestar.params import QueryParameter
from litestar.response import Stream

from services.access.sight import Sight
from services.archive.archive import Wanted
from services.archive.refusals import ExportInterrupted
from services.export.formats import FORMATS
from services.http import jobs
from services.http.admission import Reader
from services.http.library import Filter, Library, Seen, Shelf, Who
from services.http.parameters import over_of
from services.http.responses import alternatives, failures

_KINDS = {name: (FORMATS[name], FORMATS[name].media_type.partition(";")[0]) for name in ("ndjson", "csv", "notation")}
"""The formats, each with its media type without parameters."""

RESUME_HEADER = "Resume-Token"


@get(
    "/export",
    operation_id="exportGames",
    summary="Games in bulk",
    tags=["games"],
    operation_class=alternatives(*(kind for _, kind in _KINDS.values()), instead=True),
    responses=failures(is_tagged=False),
    dependencies={"wanted": Provide(over_of)},
)
async def export(
    library: Shelf,
    reader: Who,
    sight: Seen,
    wanted: Filter,
    *,
    form: Annotated[
        Literal["ndjson", "csv", "notation"],
        QueryParameter(
            name="format",
            description="`ndjson`: a record on each line; `csv`: a table of actions; `notation`: text for people.",
        ),
    ] = "ndjson",
    after: Annotated[
        str,
        QueryParameter(description="The `Resume-Token` of an earlier export: only what is new since then."),
    ] = "",
) -> Response[str]:
    """All finished games that you may see, each once; `since` and `until` are about their end.

    They come by the time from which on everybody may know how they ended. The header `Resume-Token` is for the next
    export, which then has only new games. It counts once you have read this export to its end. If the export can't be
    completed, the server breaks the connection, so that nobody takes a part for the whole.
    """
    kind, media_type = _KINDS[form]
    export = _Export(library, reader, wanted, sight, form)
    pieces = _counted(library, reader, export.pieces(after))
    first = await anext(pieces)  # A failure up to here can still become an answer with its own status.
    headers = {
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="liarsdice{kind.suffix}"',
        RESUME_HEADER: export.resume_token,
    }
    stream: Any = Stream(_joined(first, pieces), media_type=media_type, headers=headers)
    return cast("Response[str]", stream)


class _Export:
    """One export, which becomes known bit by bit."""

    def __init__(self, library: Library, reader: Reader, wanted: Wanted, sight: Sight, form: str) -> None:
        self._library, self._reader, self._form = library, reader, form
        self._asked = wanted, sight
        self.resume_token = ""
        """The token to go on after all of it; known with the first piece."""

    async def pieces(self, after: str) -> AsyncIterator[bytes]:
        """The export after a token, piece by piece."""
        desk, reader, beginning = self._library.desk, self._reader, FORMATS[self._form].begin()
        course = await desk.ask_patiently(reader.payer, "export", jobs.export_begun, *self._asked, after)
        self.resume_token, before = course.last_token, beginning.head()
        while True:
            if self._library.draining.is_set():
                raise ExportInterrupted
            await reader.renew()
            asked = *self._asked, self._form, course
            part = await desk.ask_patiently(reader.payer, "export", jobs.exported, *asked)
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


ROUTES = (export,)
