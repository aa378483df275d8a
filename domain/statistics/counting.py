"""Counting the facts of a game in one pass over its events, with the revealed secrets filled in.

What the clock does for a player is not that player's decision: it counts as a move of the clock and as nothing else.
What a practice game copied from the past of another game does not count at all.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from domain.events import (
    AnyEvent,
    BidChallenged,
    BidPlaced,
    ChallengeResolved,
    CupsLifted,
    DiceDealt,
    DiceLost,
    DiceRerolled,
    GameCreated,
    PlayerForfeited,
    PlayerJoined,
    PlayerLeft,
    PlayersEliminated,
    RollCalled,
    Rolled,
    RoundEnded,
    RoundStarted,
    TurnTimedOut,
)
from domain.rulebooks import Rules, rules_of
from domain.statistics.chances import square
from domain.statistics.cups import Cups
from domain.statistics.facts import CALIBRATION_BINS, ONE, TIME_BINS, TIME_MAX, SeatFacts

_UNCOUNTED = frozenset((Rolled, RollCalled, CupsLifted, DiceLost, PlayersEliminated, RoundEnded))
_SQUARES = {name: f"{name}_squares" for name in ("regret", "risk", "gain", "brier")}


def facts_of(events: Sequence[AnyEvent], copied: int = 0) -> tuple[SeatFacts, ...]:
    """The facts of each seat; the first `copied` events of a practice game are copies and don't count."""
    counting = _Counting()
    for event in events[:copied]:
        counting.take(event)
    counting.counts = True
    for event in events[copied:]:
        counting.take(event)
    return tuple(counting.facts(seat) for seat in range(counting.seats))


def places_of(places: Sequence[Sequence[int]]) -> dict[int, int]:
    """The place of each seat, from 1 on; seats that share several places all get the best of them."""
    found: dict[int, int] = {}
    for seats in places:
        found |= dict.fromkeys(seats, len(found) + 1)
    return found


class _Tally:
    """What has been counted of a seat so far."""

    def __init__(self) -> None:
        self.sums: defaultdict[str, int] = defaultdict(int)
        self.calibration = [[0] * CALIBRATION_BINS for _ in range(3)]
        self.times = [0] * (len(TIME_BINS) + 1)
        self.against: defaultdict[int, int] = defaultdict(int)
        self.against_won: defaultdict[int, int] = defaultdict(int)

    def add(self, name: str, value: int) -> None:
        """Add a number in billionths, and its square."""
        if value:
            self.sums[name] += value
            self.sums[_SQUARES[name]] += square(value)


class _Counting:
    """The game so far."""

    def __init__(self) -> None:
        self.counts = False
        self.seats = 0
        self._rules: Rules | None = None
        self._cups: Cups | None = None
        self._tallies: defaultdict[int, _Tally] = defaultdict(_Tally)
        self._turn_at = 0
        self._clock = False
        """Whether the next move is made by the clock."""
        self._own = False
        """Whether the bid that stands counts for its bidder."""
        self._bluff = False
        self._challenge_own = False
        """Whether the challenge that was made last counts for its challenger."""

    def facts(self, seat: int) -> SeatFacts:
        tally = self._tallies[seat]
        bids, held, chances = map(tuple, tally.calibration)
        return SeatFacts(
            **tally.sums,
            calibration_bids=bids,
            calibration_held=held,
            calibration_chance=chances,
            times=tuple(tally.times),
            against=tuple(tally.against[other] for other in range(self.seats)),
            against_won=tuple(tally.against_won[other] for other in range(self.seats)),
        )

    def take(self, event: AnyEvent) -> None:
        if type(event) in _UNCOUNTED:
            return  # Most events are of these kinds, and trying the cases below for them takes time.
        match event:
            case BidPlaced():
                self._bid(event)
            case DiceRerolled():
                self._reroll(event)
            case BidChallenged():
                self._challenge(event)
            case ChallengeResolved():
                self._resolve(event)
            case DiceDealt():
                self._deal(event)
            case RoundStarted():
                self._begin_round(event)
            case TurnTimedOut(seat=seat):
                self._clock = True
                self._count(seat, "clock_moves")
            case PlayerForfeited(seat=seat):
                self._clock = False
                self._count(seat, "forfeits")
            case PlayerJoined():
                self.seats += 1
            case PlayerLeft():
                self.seats -= 1
            case GameCreated(rulebook=rulebook, rulebook_version=version, options=options):
                self._rules = rules_of(rulebook, version, options)
            case _:
                pass

    def _count(self, seat: int, name: str) -> None:
        if self.counts:
            self._tallies[seat].sums[name] += 1

    def _begin_round(self, event: RoundStarted) -> None:
        assert self._rules is not None, "a game begins with its creation"
        self._cups = Cups(self._rules, event)
        for seat, dice in enumerate(event.dice_counts):
            if dice:
                self._count(seat, "rounds")

    def _deal(self, event: DiceDealt) -> None:
        cups = self._round()
        cups.deal(event)
        self._turn_at = event.at
        for seat, hand in enumerate(event.hands or ()):
            if hand and self.counts:
                expected, sums = cups.reckoning.expected_strength(len(hand)), self._tallies[seat].sums
                sums["hands"] += 1
                sums["strength"] += cups.reckoning.strength(hand)
                sums["strength_expected"] += expected.mean
                sums["strength_variance"] += expected.variance

    def _bid(self, event: BidPlaced) -> None:
        cups = self._round()
        self._own = self._decided(event.seat, event.at)
        best = cups.best_value(event.seat) if self._own else 0
        bid = cups.place(event)
        if not self._own:
            return
        value = cups.chance_of(event.seat, bid)
        self._judge(event.seat, value, best)
        tally = self._tallies[event.seat]
        tally.sums["bids"] += 1
        tally.add("risk", ONE - value)
        # A reroll changes the dice, not what was known when the bid was made.
        self._bluff = not cups.supports(event.seat, event.face)
        tally.sums["bluffs"] += self._bluff

    def _reroll(self, event: DiceRerolled) -> None:
        cups = self._round()
        assert cups.standing is not None, "dice are shown after a bid"
        before = cups.chance_of(event.seat, cups.standing)
        cups.reroll(event)
        if self.counts and event.hand is not None:
            tally = self._tallies[event.seat]
            tally.sums["rerolls"] += 1
            tally.add("gain", cups.chance_of(event.seat, cups.standing) - before)

    def _challenge(self, event: BidChallenged) -> None:
        cups = self._round()
        self._challenge_own = self._decided(event.seat, event.at)
        if self._challenge_own:
            value = ONE - cups.chance_of(event.seat, event.bid.bid)
            self._judge(event.seat, value, cups.best_value(event.seat))

    def _resolve(self, event: ChallengeResolved) -> None:
        held = event.winner == event.bid.seat
        if self._challenge_own:
            self._made(event, won=not held)
        if self._own:
            self._received(event, held=held)

    def _made(self, event: ChallengeResolved, *, won: bool) -> None:
        tally = self._tallies[event.challenger]
        tally.sums["challenges"] += 1
        tally.sums["challenges_won"] += won
        tally.against[event.bid.seat] += 1
        tally.against_won[event.bid.seat] += won
        self._party(tally, ONE - self._round().chance_of(event.challenger, event.bid.bid))

    def _received(self, event: ChallengeResolved, *, held: bool) -> None:
        tally, likely = self._tallies[event.bid.seat], self._round().chance_of(event.bid.seat, event.bid.bid)
        tally.sums["challenged"] += 1
        tally.sums["held"] += held
        tally.sums["exact"] += event.actual == event.bid.quantity
        if self._bluff:
            tally.sums["bluffs_challenged"] += 1
            tally.sums["bluffs_caught"] += not held
        tally.add("brier", square(likely - ONE * held))
        for numbers, number in zip(tally.calibration, (1, int(held), likely), strict=True):
            numbers[min(likely * CALIBRATION_BINS // ONE, CALIBRATION_BINS - 1)] += number
        self._party(tally, likely)

    def _party(self, tally: _Tally, expected: int) -> None:
        tally.sums["party_expected"] += expected
        tally.sums["party_variance"] += expected * (ONE - expected) // ONE

    def _decided(self, seat: int, at: int) -> bool:
        """Note how long a move took, and return whether the player made it and we can judge it."""
        took, self._turn_at = min(max(at - self._turn_at, 0), TIME_MAX), at
        by_clock, self._clock = self._clock, False
        if by_clock or not self.counts or self._round().hidden[seat] is None:
            return False
        tally = self._tallies[seat]
        tally.sums["time"] += took
        tally.sums["time_squares"] += took * took
        tally.times[bisect_right(TIME_BINS, took)] += 1
        return True

    def _judge(self, seat: int, value: int, best: int) -> None:
        tally = self._tallies[seat]
        tally.sums["decisions"] += 1
        tally.sums["best_decisions"] += value == best
        tally.add("regret", best - value)

    def _round(self) -> Cups:
        assert self._cups is not None, "a round is being played"
        return self._cups
