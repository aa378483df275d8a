"""The route that exports games in bulk."""

from litestar import Response, get
from litestar.di import Provide

from services.archive.archive import Place
from services.http import jobs
from services.http.jobs import Exported
from services.http.library import Filter, Seen, Shelf, Who
from services.http.parameters import over_of
from services.http.record_stream import MEDIA_TYPES, FormWanted, record_stream
from services.http.responses import alternatives, failures


@get(
    "/export",
    operation_id="exportGames",
    summary="Games in bulk",
    tags=["games"],
    operation_class=alternatives(*MEDIA_TYPES, instead=True),
    responses=failures(is_tagged=False),
    dependencies={"wanted": Provide(over_of)},
)
async def export(
    library: Shelf, reader: Who, sight: Seen, wanted: Filter, form: FormWanted = "ndjson"
) -> Response[str]:
    """All finished games that you may see, in the order in which they ended; `since` and `until` are about that end.

    If the export can't be completed, the server breaks the connection, so that nobody takes a part for the whole.
    """

    async def part_after(after: Place | None) -> Exported:
        return await library.desk.ask_patiently(reader.payer, "export", jobs.exported, wanted, sight, form, after)

    return await record_stream(library, reader, form, part_after)


ROUTES = (export,)
