"""The facts of random games, worked out again slowly and in another way: from views, with exact fractions."""

from collections import Counter
from fractions import Fraction

import pytest

from domain.commands import AbandonGame, PlaceBid
from domain.deciding import decide
from domain.events import (
    AnyEvent,
    BidChallenged,
    BidPlaced,
    ChallengeResolved,
    DiceRerolled,
    GameAbandoned,
    GameEnded,
    PlayerForfeited,
    TurnTimedOut,
)
from domain.evolve import evolve, fold
from domain.history.odds import chance_of_bid
from domain.history.replaying import revealed
from domain.moves import legal_moves
from domain.refusals import Refusal
from domain.state import NOTHING, Bidding, State
from domain.statistics.counting import facts_of
from domain.statistics.facts import ONE, SeatFacts
from domain.values import Bid
from domain.views import seen_by, view
from tests.domain.notation.play import SETTINGS, Setting, events_of

NEAR = Fraction(1, 10**6)
PLAYED = [(setting, seed) for setting in SETTINGS for seed in range(4)]
DICE_OF_ALL_BIDS_MAX = 12


def chance(state: State, seat: int, bid: Bid) -> Fraction:
    seen = view(state, seat)
    assert seen is not None
    return chance_of_bid(seen, bid)


def is_legal(state: Bidding, seat: int, bid: Bid) -> bool:
    try:
        decide(PlaceBid(seat=seat, quantity=bid.quantity, face=bid.face), state)
    except Refusal:
        return False
    return True


def best(state: Bidding, seat: int) -> Fraction:
    """The best move that the core accepts: a challenge or a bid; at large tables, a bid on at most so many dice."""
    dice = min(sum(state.standing.dice_counts) + 1, DICE_OF_ALL_BIDS_MAX)
    tried = [Bid(quantity, face) for quantity in range(1, dice + 1) for face in range(1, 7)]
    legal = [bid for bid in tried if is_legal(state, seat, bid)] + list(legal_moves(state, seat).lowest_bids)
    values = [chance(state, seat, bid) for bid in legal]
    if state.standing_bid is not None:
        values.append(1 - chance(state, seat, state.standing_bid))
    return max(values)


class Recount:
    """The facts of a game, counted again."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, str]] = Counter()
        self.sums: dict[tuple[int, str], Fraction] = {}

    def add(self, seat: int, name: str, value: Fraction) -> None:
        self.sums[seat, name] = self.sums.get((seat, name), Fraction(0)) + value

    def of(self, events: list[AnyEvent]) -> None:
        state: State = NOTHING
        clock = own = challenged_by_own = bluff = False
        at_challenge: Bidding | None = None
        for event in events:
            before, state = state, evolve(state, event)
            match event:
                case TurnTimedOut():
                    clock = True
                case BidPlaced(seat=seat) if isinstance(before, Bidding):
                    own, clock = not clock, False
                    if own:
                        bid = Bid(event.quantity, event.face)
                        value = chance(before, seat, bid)
                        self.counts[seat, "bids"] += 1
                        self.add(seat, "risk", 1 - value)
                        self.judge(before, seat, value)
                        counting = before.round_rules.counting_faces(event.face)
                        cup = before.cups[seat]
                        assert cup.hidden is not None
                        bluff = not any(die in counting for die in (*cup.hidden, *cup.shown))
                        self.counts[seat, "bluffs"] += bluff
                case DiceRerolled(seat=seat) if isinstance(before, Bidding) and isinstance(state, Bidding):
                    bid = state.bids[-1].bid
                    self.counts[seat, "rerolls"] += 1
                    self.add(seat, "gain", chance(state, seat, bid) - chance(before, seat, bid))
                case BidChallenged(seat=seat) if isinstance(before, Bidding):
                    challenged_by_own, clock = not clock, False
                    at_challenge = before
                    if challenged_by_own:
                        self.judge(before, seat, 1 - chance(before, seat, event.bid.bid))
                case ChallengeResolved() if at_challenge is not None:
                    self.resolve(event, at_challenge, own=own, by_own=challenged_by_own, bluff=bluff)
                case PlayerForfeited():
                    clock = False
                case _:
                    pass

    def judge(self, state: Bidding, seat: int, value: Fraction) -> None:
        top = best(state, seat)
        self.counts[seat, "decisions"] += 1
        self.counts[seat, "best_decisions"] += value == top
        self.add(seat, "regret", top - value)

    def resolve(self, event: ChallengeResolved, state: Bidding, *, own: bool, by_own: bool, bluff: bool) -> None:
        held = event.actual >= event.bid.quantity
        if by_own:
            value = 1 - chance(state, event.challenger, event.bid.bid)
            self.counts[event.challenger, "challenges"] += 1
            self.counts[event.challenger, "challenges_won"] += not held
            self.add(event.challenger, "party_expected", value)
            self.add(event.challenger, "party_variance", value * (1 - value))
        if own:
            seat, value = event.bid.seat, chance(state, event.bid.seat, event.bid.bid)
            self.counts[seat, "challenged"] += 1
            self.counts[seat, "held"] += held
            self.counts[seat, "exact"] += event.actual == event.bid.quantity
            self.counts[seat, "bluffs_challenged"] += bluff
            self.counts[seat, "bluffs_caught"] += bluff and not held
            self.add(seat, "brier", (value - held) ** 2)
            self.add(seat, "party_expected", value)
            self.add(seat, "party_variance", value * (1 - value))


@pytest.mark.parametrize(
    ("setting", "seed"), PLAYED, ids=lambda value: value.rulebook if isinstance(value, Setting) else str(value)
)
def test_the_facts_of_random_games_are_those_of_a_slow_recount(setting: Setting, seed: int) -> None:
    events = events_of(setting, seed)
    if not isinstance(events[-1], GameEnded | GameAbandoned):
        events = [*events, *decide_to_abandon(events)]
    found = facts_of(revealed([seen_by(event, None) for event in events]))
    again = Recount()
    again.of(events)

    counted = [
        "bids",
        "bluffs",
        "bluffs_challenged",
        "bluffs_caught",
        "rerolls",
        "decisions",
        "best_decisions",
        "challenges",
        "challenges_won",
        "challenged",
        "held",
        "exact",
    ]
    assert len(found) == setting.players
    for seat, facts in enumerate(found):
        assert {name: getattr(facts, name) for name in counted} == {name: again.counts[seat, name] for name in counted}
        for name in ("risk", "regret", "gain", "brier", "party_expected", "party_variance"):
            exact = again.sums.get((seat, name), Fraction(0))
            assert abs(Fraction(getattr(facts, name), ONE) - exact) < NEAR, name
        check_whole(facts)


def test_the_random_games_have_everything_that_is_counted() -> None:
    found = [facts for played in PLAYED for facts in facts_of(events_of(*played))]
    # These games are played in no time.
    for name in set(SeatFacts.__struct_fields__) - {"time", "time_squares"}:
        numbers = [getattr(facts, name) for facts in found]
        assert any(map(any, numbers) if isinstance(numbers[0], tuple) else numbers), name


def decide_to_abandon(events: list[AnyEvent]) -> tuple[AnyEvent, ...]:
    return decide(AbandonGame(reason="the test ends"), fold(events))


def check_whole(facts: SeatFacts) -> None:
    """What must add up within the facts of a seat."""
    assert sum(facts.times) == facts.decisions
    assert sum(facts.calibration_bids) == facts.challenged
    assert sum(facts.calibration_held) == facts.held
    assert sum(facts.against) == facts.challenges
    assert sum(facts.against_won) == facts.challenges_won
