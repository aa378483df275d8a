"""Exports of decisions, as jobs for workers."""

from collections.abc import AsyncIterator

from infra.workers.meter import touched
from services.access.refusals import FieldInvalid
from services.access.sight import Sight
from services.archive.decision_exports import DecisionCourse, DecisionsPart, PlayerDecisions
from services.desk.sources import Sources
from services.export.decision_table import TABLE_FORMATS, Table
from services.export.refusals import ParquetMissing
from services.http.jobs import Exported

DECISIONS_IN_PART = 1_000
PARQUET_DECISIONS_MAX = 50_000
"""A Parquet file ends with an index of everything in it, so one job makes it whole, and others wait meanwhile."""


async def begun(sources: Sources, wanted: PlayerDecisions, sight: Sight, after: str) -> DecisionCourse:
    """What an export of decisions will hand out."""
    touched(DECISIONS_IN_PART)
    return await sources.decision_exports.begin(wanted, sight, after, "after")


async def exported(
    sources: Sources, wanted: PlayerDecisions, sight: Sight, form: str, course: DecisionCourse
) -> Exported:
    """The next decisions of an export; in Parquet all of them."""
    table, body = _begun(form), b""
    async for part in _parts(sources, wanted, sight, course):
        body, course = body + table.take(part.decisions), part.course
        if form != "parquet":
            return Exported(body, course)
    return Exported(table.head() + body + table.tail(), course)


async def of_game(sources: Sources, game_id: str, sight: Sight, form: str) -> bytes:
    """All decisions of a game."""
    table = _begun(form)
    return table.head() + table.take(await sources.decisions.of_game(game_id, sight)) + table.tail()


async def _parts(
    sources: Sources, wanted: PlayerDecisions, sight: Sight, course: DecisionCourse
) -> AsyncIterator[DecisionsPart]:
    read = 0
    while True:
        part = await sources.decision_exports.part(wanted, sight, course, DECISIONS_IN_PART)
        read += len(part.decisions)
        if read > PARQUET_DECISIONS_MAX:
            problem = (
                f"holds at most {PARQUET_DECISIONS_MAX} decisions as parquet: ask for ndjson or csv, for less with other"
                " filters, or use `liarsdice export --decisions`"
            )
            raise FieldInvalid(field="format", problem=problem)
        yield part
        course = part.course
        if course.is_over:
            return


def _begun(form: str) -> Table:
    try:
        return TABLE_FORMATS[form].begin()
    except ParquetMissing:
        problem = "can't be parquet, because this server has no pyarrow: ask for ndjson or csv"
        raise FieldInvalid(field="format", problem=problem) from None
