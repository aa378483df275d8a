"""A challenge, from the lifting of the cups to the start of the next round or the end of the game."""

from domain.commands import Challenge
from domain.deciding.bidding import check_turn
from domain.deciding.checks import bidding, whole
from domain.deciding.rounds import elimination, game_ends, is_palafico, round_begins
from domain.events import (
    AnyEvent,
    BidChallenged,
    ChallengeResolved,
    CupsLifted,
    DiceLost,
    Hand,
    PotWon,
    RevealedDeal,
    RoundEnded,
    SeatCount,
)
from domain.evolve import fold
from domain.refusals import NoBidToChallenge
from domain.rulebooks.losing import Outcome
from domain.rulebooks.rulebook import RoundRules
from domain.state import Bidding, Deal, Settling, State
from domain.values import WILD


def challenge(command: Challenge, state: State) -> tuple[AnyEvent, ...]:
    """Doubt the standing bid and carry out all that follows."""
    running = bidding(state)
    check_turn(running, command.seat)
    if not running.bids:
        raise NoBidToChallenge(running.table.rules.book.cites.challenging, seat=command.seat)
    return challenged(command.at, command.seat, running)


def challenged(at: int, seat: int, state: Bidding) -> tuple[AnyEvent, ...]:
    """The events of a challenge that the rules allow."""
    lifted = lift_cups(at, state)
    resolved = _resolved(at, seat, state, lifted.dice)
    counts, outcome = state.standing.dice_counts, _outcome(state, resolved)
    lost = tuple(
        DiceLost(at=at, seat=loser, penalty=penalty, lost=min(penalty, counts[loser]))
        for loser, penalty in state.table.rules.book.penalties(outcome)
    )
    first: tuple[AnyEvent, ...] = (BidChallenged(at=at, seat=seat, bid=state.bids[-1]), lifted, resolved, *lost)
    after = fold(first, state)
    assert isinstance(after, Settling)
    return first + _aftermath(at, after, outcome, lost)


def lift_cups(at: int, state: Bidding) -> CupsLifted:
    """The event that reveals every deal of the round, with the dice that were rerolled away."""
    return CupsLifted(
        at=at,
        deals=tuple(_revealed(deal) for deal in state.deals),
        dice=tuple(cup.shown + whole(cup.hidden) for cup in state.cups),
    )


def _revealed(deal: Deal) -> RevealedDeal:
    assert deal.server_link is not None, "only the server's own state can decide"
    return RevealedDeal(deal.server_link, tuple(whole(hand) for hand in deal.hands), deal.reroll_of)


def _resolved(at: int, seat: int, state: Bidding, dice: tuple[Hand, ...]) -> ChallengeResolved:
    bid = state.bids[-1]
    counts = tuple(_count(state.round_rules, player, hand, bid.face) for player, hand in enumerate(dice) if hand)
    actual = sum(count.natural + count.wild for count in counts)
    winner = bid.seat if actual >= bid.quantity else seat
    return ChallengeResolved(at=at, bid=bid, challenger=seat, actual=actual, counts=counts, winner=winner)


def _count(rules: RoundRules, seat: int, hand: Hand, face: int) -> SeatCount:
    wild = hand.count(WILD) if WILD in rules.counting_faces(face) and face != WILD else 0
    return SeatCount(seat, hand.count(face), wild)


def _outcome(state: Bidding, resolved: ChallengeResolved) -> Outcome:
    bid = resolved.bid
    return Outcome(bid.seat, resolved.challenger, bid.quantity, resolved.actual, state.standing.in_play)


def _aftermath(at: int, state: Settling, outcome: Outcome, lost: tuple[DiceLost, ...]) -> tuple[AnyEvent, ...]:
    """Eliminations, the round's pot, and the next round or the end of the game."""
    standing = state.standing
    losers = tuple(loss.seat for loss in lost)
    gone = tuple(seat for seat in losers if not standing.dice_counts[seat])
    pot = standing.round_pot
    events = (
        *elimination(at, standing, gone),
        *((PotWon(at=at, seat=outcome.winner, pot="round", chips=pot),) if pot else ()),
        RoundEnded(at=at, number=state.round.number),
    )
    after = fold(events, state)
    assert isinstance(after, Settling)
    return events + _next_round(at, after, outcome, losers)


def _next_round(at: int, state: Settling, outcome: Outcome, losers: tuple[int, ...]) -> tuple[AnyEvent, ...]:
    rules, standing = state.table.rules, state.standing
    if len(standing.in_play) == 1:
        return game_ends(at, standing)
    opener = rules.book.next_opener(outcome)
    if not standing.dice_counts[opener]:
        opener = standing.left_of(opener)
    palafico = is_palafico(rules, standing, opener, losers)
    return round_begins(at, rules, standing, state.round.number + 1, opener, palafico=palafico)
