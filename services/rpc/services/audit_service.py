"""AuditService: audits, checkpoints and disputes."""

import asyncio
import logging
from dataclasses import asdict
from typing import Any

import grpc
from google.protobuf.json_format import ParseDict
from liarsdice.v1 import audit_service_pb2 as wire

from services.access.caller import PLAYER, Caller
from services.audit.audits import Audits, check_provable
from services.audit.dispute_reader import Dispute
from services.audit.disputes import Disputes
from services.audit.published_log import PublishedLog
from services.rpc.gate import Call, Gate, unary
from services.rpc.parsing import asked_of, game_id_of
from services.tables.host import GameHost
from services.tables.requests import Asked
from services.verifier import Failed, Report, verify
from services.wire.translation import timestamp

SERVICE = wire.DESCRIPTOR.services_by_name["AuditService"].full_name
_AUDITOR = "auditor"
_LOG = logging.getLogger(__name__)


class AuditService:
    """The calls of AuditService."""

    def __init__(self, gate: Gate, host: GameHost, log: PublishedLog, audits: Audits, disputes: Disputes) -> None:
        self._gate, self._host, self._log = gate, host, log
        self._audits, self._disputes = audits, disputes

    def handler(self) -> grpc.GenericRpcHandler:
        """The methods of this service, for the server."""
        gate = self._gate
        methods = {
            "GetAudit": unary(gate, wire.GetAuditRequest, self._audit),
            "GetCheckpoint": unary(gate, wire.GetCheckpointRequest, self._checkpoint, open_to_all=True),
            "GetConsistencyProof": unary(gate, wire.GetConsistencyProofRequest, self._consistency, open_to_all=True),
            "OpenDispute": unary(gate, wire.OpenDisputeRequest, self._open, scope=PLAYER, in_steps=True),
            "ListDisputes": unary(gate, wire.ListDisputesRequest, self._list),
            "AnnotateDispute": unary(gate, wire.AnnotateDisputeRequest, self._annotate, scope=_AUDITOR),
            "CloseDispute": unary(gate, wire.CloseDisputeRequest, self._close, scope=_AUDITOR),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def _audit(self, request: wire.GetAuditRequest, call: Call) -> wire.GetAuditResponse:
        game_id = game_id_of(request)
        ended_by = await self._visible_until(game_id, call.caller, request.invitation_code)
        check_provable(game_id, (await self._host.tables.load(game_id)).opened)
        bundle = await self._audits.bundle(game_id, request.round if request.HasField("round") else None, ended_by)
        # We verify the same bytes that the caller gets, so the caller's own verifier must find the same.
        try:
            report = await asyncio.to_thread(verify, bundle)
            return wire.GetAuditResponse(report=report_message(report), bundle=bundle)
        except Failed as failed:
            _LOG.error("an audit of game %s does not hold: %s", game_id, failed.check)
            failure = wire.AuditFailure(check=failed.check, finding=failed.sentence)
            return wire.GetAuditResponse(bundle=bundle, failure=failure)

    async def _checkpoint(self, _request: Any, _call: Call) -> wire.GetCheckpointResponse:
        latest = await self._log.latest()
        return wire.GetCheckpointResponse(checkpoint=latest.note, keys=latest.keys)

    async def _consistency(
        self, request: wire.GetConsistencyProofRequest, _call: Call
    ) -> wire.GetConsistencyProofResponse:
        return wire.GetConsistencyProofResponse(hashes=await self._log.consistency(request.old_size, request.new_size))

    async def _open(self, request: wire.OpenDisputeRequest, call: Call) -> wire.OpenDisputeResponse:
        asked = asked_of(request, call.caller)
        dispute = await self._disputes.open(asked, request.round, request.reason)
        return wire.OpenDisputeResponse(dispute=dispute_message(asked.game_id, dispute))

    async def _list(self, request: wire.ListDisputesRequest, call: Call) -> wire.ListDisputesResponse:
        game_id = game_id_of(request)
        until = await self._visible_until(game_id, call.caller, request.invitation_code)
        disputes = await self._disputes.of_game(game_id)
        seen = [dispute for dispute in disputes if until is None or dispute.opened.at <= until]
        return wire.ListDisputesResponse(disputes=[dispute_message(game_id, dispute) for dispute in seen])

    async def _annotate(self, request: wire.AnnotateDisputeRequest, call: Call) -> wire.AnnotateDisputeResponse:
        asked: Asked = asked_of(request, call.caller)
        dispute = await self._disputes.annotate(asked, request.round, request.seat, request.text)
        return wire.AnnotateDisputeResponse(dispute=dispute_message(asked.game_id, dispute))

    async def _close(self, request: wire.CloseDisputeRequest, call: Call) -> wire.CloseDisputeResponse:
        asked: Asked = asked_of(request, call.caller)
        dispute = await self._disputes.close(asked, request.round, request.seat, request.text)
        return wire.CloseDisputeResponse(dispute=dispute_message(asked.game_id, dispute))

    async def _visible_until(self, game_id: str, caller: Caller, code: str) -> int | None:
        """The time up to which the caller may know what happened in a game; None if the caller may know everything."""
        if _AUDITOR in caller.scopes:
            return None
        table, _, _, viewer = await self._host.visible(game_id, caller, code)
        return table.opened.delay.known_until(viewer, self._host.now())


def report_message(report: Report) -> wire.AuditReport:
    """The report of an audit, as a message."""
    fields = asdict(report)
    fields["places"] = [{"seats": seats} for seats in report.places]
    for played in fields["rounds"]:
        result = played.pop("result") or {}
        played.update(result, losses=result.get("penalties", []))
    # The report repeats fields of events that the message does not have.
    return ParseDict(fields, wire.AuditReport(), ignore_unknown_fields=True)


def dispute_message(game_id: str, dispute: Dispute) -> wire.Dispute:
    """A dispute, as a message."""
    opened, examined, ended = dispute.opened, dispute.examined, dispute.ended
    return wire.Dispute(
        game_id=game_id,
        round=opened.round,
        seat=opened.seat,
        player_id=opened.player_id,
        reason=opened.reason,
        opened=timestamp(opened.at),
        ruling=None
        if examined is None
        else wire.Ruling(
            at=timestamp(examined.at),
            stands=examined.failed is None,
            finding=examined.finding,
            proven=examined.proven,
            not_proven=examined.not_proven,
        ),
        remarks=[_remark(remark) for remark in dispute.remarks],
        closing=None if ended is None else _remark(ended),
    )


def _remark(remark: Any) -> wire.Remark:
    return wire.Remark(at=timestamp(remark.at), auditor_id=remark.auditor_id, text=remark.text)
