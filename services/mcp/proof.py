"""The tool to audit: what can be proven about a round or a game, without trusting the server."""

import asyncio

from services.mcp.answers import BidSeen, Proof, RoundResult, SeatLoss
from services.mcp.arguments import ProofAsked
from services.mcp.foreign_text import text_shown
from services.mcp.session import Session
from services.verifier import Failed, Report, Round, verify


async def audit(session: Session, asked: ProofAsked) -> Proof:
    """What the bundle of a round or a game proves, checked in this process."""
    bundle = await (await session.client()).past.bundle(asked.game_id, asked.round)
    try:
        # A whole game takes a while, and the other games must be followed meanwhile.
        report = await asyncio.to_thread(verify, bundle, session.setup.public_key)
    except Failed as failed:
        return _failure(asked, failed.check, failed.sentence)
    if (report.game_id, report.round) != (asked.game_id, asked.round):
        return _failure(asked, "subject", "The server has sent the bundle of another game or round.")
    return _proof(asked, report)


def _failure(asked: ProofAsked, check: str, sentence: str) -> Proof:
    return Proof(
        game_id=asked.game_id, round=asked.round, verified=False, failed_check=check, failure=text_shown(sentence)
    )


def _proof(asked: ProofAsked, report: Report) -> Proof:
    return Proof(
        game_id=asked.game_id,
        round=asked.round,
        verified=True,
        proven=tuple(map(text_shown, report.proven)),
        not_proven=tuple(map(text_shown, report.not_proven)),
        rounds=tuple(_round_proven(played, len(report.players)) for played in report.rounds),
    )


def _round_proven(played: Round, seats: int) -> RoundResult:
    dice = tuple(tuple(die["face"] for die in played.dice if die["seat"] == seat) for seat in range(seats))
    if played.result is None:
        return RoundResult(number=played.number, dice=dice)
    bid, result = played.result["bid"], played.result
    return RoundResult(
        number=played.number,
        dice=dice,
        bid=BidSeen(seat=bid["seat"], quantity=bid["quantity"], face=bid["face"]),
        challenger=result["challenger"],
        actual=result["actual"],
        winner=result["winner"],
        losses=tuple(SeatLoss(seat=loss["seat"], lost=loss["lost"]) for loss in result["penalties"]),
    )
