"""The export of decisions as jobs for workers, which make the bytes of each message."""

from typing import NamedTuple

from liarsdice.v1 import statistics_service_pb2 as wire

from infra.workers.meter import touched
from services.access.sight import Sight
from services.archive.decision_exports import DecisionCourse, PlayerDecisions
from services.desk.sources import Sources
from services.wire.translation import to_message

DECISIONS_IN_MESSAGE = 250


class Sent(NamedTuple):
    """A message, and the course after it."""

    message: bytes
    course: DecisionCourse


async def begun(sources: Sources, wanted: PlayerDecisions, sight: Sight, after: str) -> DecisionCourse:
    """What ExportPlayerDecisions will send."""
    touched(DECISIONS_IN_MESSAGE)
    return await sources.decision_exports.begin(wanted, sight, after, "after")


async def exported(sources: Sources, wanted: PlayerDecisions, sight: Sight, course: DecisionCourse) -> Sent:
    """Some decisions for ExportPlayerDecisions."""
    part = await sources.decision_exports.part(wanted, sight, course, DECISIONS_IN_MESSAGE)
    message = wire.ExportPlayerDecisionsResponse(
        decisions=[to_message(made, wire.DecisionMade) for made in part.decisions], resume_token=part.course.token
    )
    return Sent(message.SerializeToString(), part.course)
