"""Turns past games, steps and rounds into messages."""

from liarsdice.v1 import freshness_pb2 as wire_freshness
from liarsdice.v1 import replay_service_pb2 as wire

from domain.freshness import Freshness
from domain.history.replaying import Odds, Step
from services.archive.listing import GameListing
from services.audit.dispute_reader import Dispute
from services.audit.rounds import PlayedRound
from services.wire.translation import event_message, to_message


def past_game_message(listing: GameListing) -> wire.PastGame:
    """A past game as lists show it."""
    return to_message(listing, wire.PastGame)


def freshness_message(freshness: Freshness) -> wire_freshness.Freshness:
    """How fresh an answer is."""
    return to_message(freshness, wire_freshness.Freshness)


def step_message(step: Step) -> wire.ReplayStep:
    """A step. The caller has removed what the reader may not see."""
    return wire.ReplayStep(
        version=step.version,
        event=event_message(step.version, step.event),
        digest=step.digest or b"",
        odds=None if step.odds is None else _odds(step.odds),
    )


def round_message(played: PlayedRound) -> wire.ReplayRound:
    """A round, its place in the audit log, and the disputes about it."""
    return wire.ReplayRound(
        number=played.number,
        first_version=played.first_version,
        last_version=played.last_version,
        leaf_index=played.leaf_index,
        disputes=[_dispute(dispute) for dispute in played.disputes],
    )


def _odds(odds: Odds) -> wire.StepOdds:
    known = [wire.SeatOdds(seat=seat, chance=chance) for seat, chance in enumerate(odds.seats) if chance is not None]
    return wire.StepOdds(seats=known, public=odds.public)


def _dispute(dispute: Dispute) -> wire.RoundDispute:
    stands = None if dispute.ruled is None else dispute.ruled.stands
    return wire.RoundDispute(seat=dispute.opened.seat, stands=stands, closed=dispute.ended is not None)
