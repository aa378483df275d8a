"""AuditService: audits, checkpoints and disputes."""

from typing import Any

from liarsdice.v1 import audit_service_pb2 as wire

from infra.workers.meter import metered
from services.access.caller import PLAYER, Caller
from services.audit.audits import check_provable
from services.audit.disputes import Disputes
from services.audit.logbook import Logbook
from services.audit.published_log import PublishedLog
from services.desk.desk import Desk
from services.rpc import replay_jobs
from services.rpc.audit_encoding import dispute_message
from services.rpc.gate import Call, Gate
from services.rpc.method import Served, unary
from services.rpc.parsing import asked_of, game_id_of
from services.tables.host import GameHost
from services.tables.requests import Asked

SERVICE = wire.DESCRIPTOR.services_by_name["AuditService"].full_name
_AUDITOR = "auditor"


class AuditService:
    """The calls of AuditService."""

    def __init__(self, gate: Gate, host: GameHost, desk: Desk, logbook: Logbook, disputes: Disputes) -> None:
        self._gate, self._host, self._desk = gate, host, desk
        self._logbook, self._log, self._disputes = logbook, PublishedLog(logbook.log), disputes

    def served(self) -> Served:
        """The methods of this service."""
        gate = self._gate
        methods = {
            "GetAudit": unary(gate, wire.GetAuditRequest, self._audit),
            "GetCheckpoint": unary(gate, wire.GetCheckpointRequest, self._checkpoint, same_for_all=True),
            "GetConsistencyProof": unary(gate, wire.GetConsistencyProofRequest, self._consistency, same_for_all=True),
            "OpenDispute": unary(gate, wire.OpenDisputeRequest, self._open, scope=PLAYER, in_steps=True),
            "ListDisputes": unary(gate, wire.ListDisputesRequest, self._list),
            "AnnotateDispute": unary(gate, wire.AnnotateDisputeRequest, self._annotate, scope=_AUDITOR),
            "CloseDispute": unary(gate, wire.CloseDisputeRequest, self._close, scope=_AUDITOR),
        }
        return Served(SERVICE, methods)

    async def _audit(self, request: wire.GetAuditRequest, call: Call) -> bytes:
        game_id = game_id_of(request)
        ended_by = await self._visible_until(game_id, call.caller, request.invitation_code)
        check_provable(game_id, (await self._host.tables.load(game_id)).opened)
        number = request.round if request.HasField("round") else None
        await self._logbook.prepare(game_id, number)
        return await self._desk.ask(call.payer, game_id, replay_jobs.audit, game_id, number, ended_by)

    async def _checkpoint(self, _request: Any, _call: Call) -> wire.GetCheckpointResponse:
        latest = await self._log.latest()
        return wire.GetCheckpointResponse(checkpoint=latest.note, keys=latest.keys)

    async def _consistency(
        self, request: wire.GetConsistencyProofRequest, _call: Call
    ) -> wire.GetConsistencyProofResponse:
        return wire.GetConsistencyProofResponse(hashes=await self._log.consistency(request.old_size, request.new_size))

    async def _open(self, request: wire.OpenDisputeRequest, call: Call) -> wire.OpenDisputeResponse:
        asked = asked_of(request, call.caller, self._host.marks)
        self._gate.budget.check(call.payer)
        with metered() as meter:
            try:
                dispute = await self._disputes.open(asked, request.round, request.reason)
            finally:
                self._gate.budget.charge(call.payer, meter.units)
        return wire.OpenDisputeResponse(dispute=dispute_message(asked.game_id, dispute))

    async def _list(self, request: wire.ListDisputesRequest, call: Call) -> wire.ListDisputesResponse:
        game_id = game_id_of(request)
        until = await self._visible_until(game_id, call.caller, request.invitation_code)
        disputes = await self._disputes.of_game(game_id)
        seen = [dispute for dispute in disputes if until is None or dispute.opened.at <= until]
        return wire.ListDisputesResponse(disputes=[dispute_message(game_id, dispute) for dispute in seen])

    async def _annotate(self, request: wire.AnnotateDisputeRequest, call: Call) -> wire.AnnotateDisputeResponse:
        asked: Asked = asked_of(request, call.caller, self._host.marks)
        dispute = await self._disputes.annotate(asked, request.round, request.seat, request.text)
        return wire.AnnotateDisputeResponse(dispute=dispute_message(asked.game_id, dispute))

    async def _close(self, request: wire.CloseDisputeRequest, call: Call) -> wire.CloseDisputeResponse:
        asked: Asked = asked_of(request, call.caller, self._host.marks)
        dispute = await self._disputes.close(asked, request.round, request.seat, request.text)
        return wire.CloseDisputeResponse(dispute=dispute_message(asked.game_id, dispute))

    async def _visible_until(self, game_id: str, caller: Caller, code: str) -> int | None:
        """The time up to which the caller may know what happened in a game; None if the caller may know everything."""
        if _AUDITOR in caller.scopes:
            return None
        table, _, _, viewer = await self._host.visible(game_id, caller, code)
        return table.opened.delay.known_until(viewer, self._host.now())
