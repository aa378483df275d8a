"""Heavy reads of ReplayService and AuditService, as jobs for workers: each returns the bytes of an answer."""

import logging

from liarsdice.v1 import audit_service_pb2 as audit_wire
from liarsdice.v1 import replay_service_pb2 as wire

from domain.freshness import CURRENT
from infra.workers.meter import touched
from services.access.sight import Sight
from services.archive.archive import Wanted
from services.archive.exports import Course, Part
from services.audit.examination import examined
from services.desk.film import Reader, reel
from services.desk.sources import Sources
from services.rpc.audit_encoding import report_message
from services.rpc.replay_encoding import freshness_message, round_message, step_message
from services.wire.translation import view_message

RECORDS_IN_PART = 32
_CURRENT = freshness_message(CURRENT)
_LOG = logging.getLogger(__name__)


async def record(sources: Sources, game_id: str, sight: Sight) -> bytes:
    """The answer to GetRecord."""
    found = await sources.archive.record(game_id, sight)
    response = wire.GetRecordResponse(record=found.json, final=found.final, freshness=_CURRENT)
    return response.SerializeToString()


async def export_begun(sources: Sources, wanted: Wanted, sight: Sight, after: str) -> Course:
    """What ExportRecords will send."""
    return await sources.exports.begin(wanted, sight, after, "after")


async def records(sources: Sources, wanted: Wanted, sight: Sight, course: Course) -> Part:
    """Some records for ExportRecords."""
    return await sources.exports.part(wanted, sight, course, "record", RECORDS_IN_PART)


async def steps(sources: Sources, game_id: str, sight: Sight, after: int, size: int) -> bytes:
    """The answer to ListSteps."""
    replayed = await sources.archive.replay(game_id, sight, own_dice=True)
    every = replayed.replay.steps
    page = every[after : after + size]
    touched(len(page))
    rounds = await sources.rounds.of(game_id, every, await sources.archive.known_until(game_id, sight))
    return wire.ListStepsResponse(
        steps=map(step_message, page),
        last_version=len(every),
        final=replayed.final,
        rounds=map(round_message, rounds),
        freshness=_CURRENT,
    ).SerializeToString()


async def step(sources: Sources, reader: Reader, version: int | None) -> bytes:
    """The answer to GetStep: a step, or the last one if none is named, and the game after it."""
    found = await reel(sources, reader, touches=100)
    version = found.last if version is None else found.check(version, first=0)
    seen = found.view(version)
    return wire.GetStepResponse(
        step=step_message(found.step(version)) if version else None,
        view=None if seen is None else view_message(seen),
        last_version=found.last,
        freshness=_CURRENT,
    ).SerializeToString()


async def replayed_steps(sources: Sources, reader: Reader, first: int, count: int, with_views: bool) -> list[bytes]:  # noqa: FBT001 - the shape of a job
    """Steps for ReplayGame, ready to be sent."""
    found = await reel(sources, reader, touches=count)
    sent = []
    for version in range(first, first + count):
        seen = found.view(version) if with_views else None
        shown = wire.ReplayedStep(
            step=step_message(found.step(version)), view=None if seen is None else view_message(seen)
        )
        sent.append(wire.ReplayGameResponse(step=shown).SerializeToString())
    return sent


async def audit(sources: Sources, game_id: str, round_number: int | None, ended_by: int | None) -> bytes:
    """The answer to GetAudit. We verify the bytes that the caller gets, so the caller's own verifier finds the same."""
    bundle = await sources.audits.bundle(game_id, round_number, ended_by)
    found = await examined(bundle)
    if found.report is not None:
        return audit_wire.GetAuditResponse(report=report_message(found.report), bundle=bundle).SerializeToString()
    _LOG.error("an audit of game %s does not hold: %s", game_id, found.check)
    failure = audit_wire.AuditFailure(check=found.check, finding=found.finding)
    return audit_wire.GetAuditResponse(bundle=bundle, failure=failure).SerializeToString()
