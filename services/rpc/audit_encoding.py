"""Turns reports of audits and disputes into messages."""

from dataclasses import asdict
from typing import Any

from google.protobuf.json_format import ParseDict
from liarsdice.v1 import audit_service_pb2 as wire

from services.audit.dispute_reader import Dispute
from services.verifier import Report
from services.wire.translation import timestamp


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
