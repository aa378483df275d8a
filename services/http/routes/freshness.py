"""The route that says how fresh the read models are, for those who wait until answers are complete."""

from litestar import Response, get

from services.http.answers import FreshnessAnswer
from services.http.library import Shelf, Who
from services.http.responses import answered, failures


@get(
    "/freshness",
    operation_id="getFreshness",
    summary="How fresh answers are",
    tags=["operations"],
    responses=failures(),
)
async def freshness(library: Shelf, reader: Who) -> Response[FreshnessAnswer]:
    """How fresh lists, exports and statistics are: each read model, and whether it is complete."""
    now = library.now()
    return answered(FreshnessAnswer(now, await library.watermarks.every()), reader)


ROUTES = (freshness,)
