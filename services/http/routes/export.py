"""The route that exports games in bulk."""

from litestar import Response, get
from litestar.di import Provide

from services.access.refusals import StreamsTooMany
from services.archive.exports import Course
from services.archive.people import check_player
from services.archive.refusals import ExportInterrupted
from services.http import jobs
from services.http.jobs import Exported
from services.http.library import Filter, Seen, Shelf, Who
from services.http.parameters import over_of
from services.http.record_stream import MEDIA_TYPES, AfterToken, Bulk, FormWanted, record_stream
from services.http.responses import FILED, OF_PLAYER, alternatives, failures


@get(
    "/export",
    operation_id="exportGames",
    summary="Games in bulk",
    tags=["games"],
    operation_class=alternatives(*MEDIA_TYPES, instead=True),
    responses=failures(ExportInterrupted, StreamsTooMany, *OF_PLAYER, is_tagged=False),
    response_headers=FILED,
    dependencies={"wanted": Provide(over_of)},
)
async def export(
    *, library: Shelf, reader: Who, sight: Seen, wanted: Filter, form: FormWanted = "ndjson", after: AfterToken = ""
) -> Response[str]:
    """All finished games that you may see, each once; `since` and `until` are about their end.

    They come by the time from which on everybody may know how they ended. The header `Resume-Token` is for the next
    export, which then has only new games. It counts once you have read this export to its end. If the export can't be
    completed, the server breaks the connection, so that nobody takes a part for the whole.
    """
    desk, payer = library.desk, reader.payer

    async def begin() -> Course:
        await check_player(library.archive, wanted, sight, await library.watermarks.of("games", "statistics"))
        return await desk.ask_patiently(payer, "export", jobs.export_begun, wanted, sight, after)

    async def part(course: Course) -> Exported:
        return await desk.ask_patiently(payer, "export", jobs.exported, wanted, sight, form, course)

    return await record_stream(library, reader, form, Bulk(("history",), begin, part))


ROUTES = (export,)
