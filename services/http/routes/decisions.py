"""Routes that export decisions in bulk. docs/reference/export.md describes the tables."""

from typing import Annotated, Any, Literal, cast

from litestar import Response, get
from litestar.params import QueryParameter

from domain.freshness import CURRENT
from services.access.refusals import StreamsTooMany
from services.archive.decision_exports import PlayerDecisions
from services.archive.exports import CourseOf
from services.archive.people import unless_behind
from services.archive.refusals import ExportInterrupted, ExportNotReady
from services.export.decision_table import TABLE_FORMATS
from services.http import decision_jobs as jobs
from services.http.jobs import Exported
from services.http.library import DecisionFilter, Era, Seen, Shelf, Who
from services.http.parameters import GameId, PlayerId
from services.http.record_stream import Bulk, Filed, bulk_stream
from services.http.responses import FILED, OF_GAME, OF_PLAYER, alternatives, answered, failures

_TAGS = ["statistics"]
_MODELS = ("history", "statistics")
_KINDS = {name: kind.media_type.partition(";")[0] for name, kind in TABLE_FORMATS.items()}

TableWanted = Annotated[
    Literal["ndjson", "csv", "parquet"],
    QueryParameter(
        name="format",
        description=f"`ndjson`: a decision on each line; `csv` and `parquet`: a table. Parquet holds at most"
        f" {jobs.PARQUET_DECISIONS_MAX} decisions.",
    ),
]
AfterDecisions = Annotated[
    str,
    QueryParameter(description="The `Resume-Token` of an earlier export: only decisions of games that are new since."),
]


@get(
    "/players/{player_id:str}/decisions/export",
    operation_id="exportPlayerDecisions",
    summary="All decisions of a player",
    tags=_TAGS,
    operation_class=alternatives(*_KINDS.values(), instead=True),
    responses=failures(*OF_PLAYER, ExportInterrupted, ExportNotReady, StreamsTooMany, is_tagged=False),
    response_headers=FILED,
)
async def player_decisions(
    *,
    player_id: PlayerId,
    library: Shelf,
    reader: Who,
    sight: Seen,
    span: Era,
    choice: DecisionFilter,
    form: TableWanted = "ndjson",
    after: AfterDecisions = "",
) -> Response[str]:
    """Every decision of a player that the list of decisions has, each once, in the order asked for.

    The header `Resume-Token` is for the next export with the same filters, which then has only the decisions of games that
    are new. It counts once you have read this export to its end. If the export can't be completed, the server breaks the
    connection, so that nobody takes a part for the whole.
    """
    wanted, ask = PlayerDecisions(player_id, span, choice), library.desk.ask_patiently
    freshness = await library.watermarks.of(*_MODELS)

    async def begin() -> CourseOf[Any]:
        with unless_behind(freshness):
            return await ask(reader.payer, player_id, jobs.begun, wanted, sight, after)

    async def part(course: CourseOf[Any]) -> Exported:
        return await ask(reader.payer, player_id, jobs.exported, wanted, sight, form, course)

    kind = TABLE_FORMATS[form]
    head = b"" if form == "parquet" else kind.begin().head()
    filed = Filed(f"liarsdice-decisions{kind.suffix}", _KINDS[form], head)
    return await bulk_stream(library, reader, filed, Bulk(_MODELS, begin, part))


@get(
    "/games/{game_id:str}/decisions/export",
    operation_id="exportGameDecisions",
    summary="The decisions of a game as a table",
    tags=_TAGS,
    operation_class=alternatives(*_KINDS.values(), instead=True),
    responses=failures(*OF_GAME),
    response_headers=FILED,
)
async def game_decisions(
    *, game_id: GameId, library: Shelf, reader: Who, sight: Seen, form: TableWanted = "ndjson"
) -> Response[str]:
    """All bids and challenges of a game with their chances, as far as you may see it; of a round once it is over."""
    made = await library.desk.ask(reader.payer, game_id, jobs.of_game, game_id, sight, form)
    named = f'attachment; filename="liarsdice-decisions{TABLE_FORMATS[form].suffix}"'
    answer = answered(made, reader, media_type=_KINDS[form], headers={"Content-Disposition": named}, freshness=CURRENT)
    return cast("Response[str]", answer)


ROUTES = (player_decisions, game_decisions)
