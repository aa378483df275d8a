"""The route that exports games in bulk. It makes a piece only when the reader has taken the one before."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Literal, cast

from litestar import Response, get
from litestar.di import Provide
from litestar.params import QueryParameter
from litestar.response import Stream

from services.access.refusals import StreamsTooMany
from services.access.sight import Sight
from services.archive.archive import Wanted
from services.archive.refusals import ExportInterrupted
from services.export.formats import FORMATS
from services.http import jobs
from services.http.admission import Reader
from services.http.library import Filter, Library, Seen, Shelf, Who
from services.http.parameters import over_of
from services.http.responses import FILED, alternatives, failures, freshness_headers

_KINDS = {name: (FORMATS[name], FORMATS[name].media_type.partition(";")[0]) for name in ("ndjson", "csv", "notation")}
"""The formats, each with its media type without parameters."""


@get(
    "/export",
    operation_id="exportGames",
    summary="Games in bulk",
    tags=["games"],
    operation_class=alternatives(*(kind for _, kind in _KINDS.values()), instead=True),
    responses=failures(ExportInterrupted, StreamsTooMany, is_tagged=False),
    response_headers=FILED,
    dependencies={"wanted": Provide(over_of)},
)
async def export(
    library: Shelf,
    reader: Who,
    sight: Seen,
    wanted: Filter,
    form: Annotated[
        Literal["ndjson", "csv", "notation"],
        QueryParameter(
            name="format",
            description="`ndjson`: a record on each line; `csv`: a table of actions; `notation`: text for people.",
        ),
    ] = "ndjson",
) -> Response[str]:
    """All finished games that you may see, in the order in which they ended; `since` and `until` are about that end.

    If the export can't be completed, the server breaks the connection, so that nobody takes a part for the whole.
    """
    kind, media_type = _KINDS[form]
    headers = {
        # They are about the whole export: each part of it is read later.
        **freshness_headers(await library.watermarks.of("history")),
        "Cache-Control": "no-store",
        "Content-Disposition": f'attachment; filename="liarsdice{kind.suffix}"',
    }
    pieces = _counted(library, reader, _pieces(library, reader, wanted, sight, form))
    first = await anext(pieces)  # A failure up to here can still become an answer with its own status.
    stream: Any = Stream(_joined(first, pieces), media_type=media_type, headers=headers)
    return cast("Response[str]", stream)


async def _pieces(library: Library, reader: Reader, wanted: Wanted, sight: Sight, form: str) -> AsyncIterator[bytes]:
    after = None
    while True:
        if library.draining.is_set():
            raise ExportInterrupted
        await reader.renew()
        part = await library.desk.ask_patiently(reader.payer, "export", jobs.exported, wanted, sight, form, after)
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


ROUTES = (export,)
