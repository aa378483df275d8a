"""Adding up what a seat did in a game."""

from bisect import bisect_right
from collections import defaultdict
from typing import Any

from domain.statistics.chances import square
from domain.statistics.decisions import Decision, decile_of
from domain.statistics.facts import CALIBRATION_BINS, ONE, TIME_BINS, SeatFacts

_SQUARES = {name: f"{name}_squares" for name in ("regret", "risk", "gain", "brier")}


class Tally:
    """What has been counted of a seat so far."""

    def __init__(self) -> None:
        """Nothing has been counted."""
        self.sums: defaultdict[str, int] = defaultdict(int)
        self._calibration = [[0] * CALIBRATION_BINS for _ in range(3)]
        self._times = [0] * (len(TIME_BINS) + 1)
        self._seats: dict[str, defaultdict[int, int]] = {
            name: defaultdict(int) for name in ("against", "against_won", "challenged_by", "held_against")
        }

    def facts(self, seats: int) -> SeatFacts:
        """The facts of the seat, at a table of so many."""
        bids, held, chances = map(tuple, self._calibration)
        by_seat = {name: tuple(counts[other] for other in range(seats)) for name, counts in self._seats.items()}
        given: dict[str, Any] = {
            **self.sums,
            **by_seat,
            "calibration_bids": bids,
            "calibration_held": held,
            "calibration_chance": chances,
            "times": tuple(self._times),
        }
        return SeatFacts(**given)

    def add(self, name: str, value: int) -> None:
        """Add a number in billionths, and its square."""
        if value:
            self.sums[name] += value
            self.sums[_SQUARES[name]] += square(value)

    def decide(self, decision: Decision) -> None:
        """Add a decision."""
        sums = self.sums
        sums["decisions"] += 1
        sums["best_decisions"] += not decision.regret
        sums["faced"] += decision.standing is not None
        self.add("regret", decision.regret)
        sums["time"] += decision.took
        sums["time_squares"] += decision.took * decision.took
        self._times[bisect_right(TIME_BINS, decision.took)] += 1
        if decision.action == "bid":
            self._bid(decision)
        elif decision.won is not None and decision.challenged is not None:
            sums["challenges"] += 1
            sums["challenges_won"] += decision.won
            self._seats["against"][decision.challenged] += 1
            self._seats["against_won"][decision.challenged] += decision.won
            self._party(decision.chance)

    def _bid(self, decision: Decision) -> None:
        self.sums["bids"] += 1
        self.sums["bluffs"] += decision.bluff
        self.add("risk", ONE - decision.chance)
        if decision.challenged_by is not None and decision.final_chance is not None:
            self._received(decision, decision.challenged_by, decision.final_chance, held=bool(decision.won))

    def _received(self, decision: Decision, challenger: int, likely: int, *, held: bool) -> None:
        sums = self.sums
        sums["challenged"] += 1
        sums["held"] += held
        sums["exact"] += decision.exact
        sums["promised"] += likely
        sums["bluffs_challenged"] += decision.bluff
        sums["bluffs_caught"] += decision.bluff and not held
        self.add("brier", square(likely - ONE * held))
        for numbers, number in zip(self._calibration, (1, int(held), likely), strict=True):
            numbers[decile_of(likely)] += number
        self._seats["challenged_by"][challenger] += 1
        self._seats["held_against"][challenger] += held
        self._party(likely)

    def _party(self, expected: int) -> None:
        self.sums["party_expected"] += expected
        self.sums["party_variance"] += expected * (ONE - expected) // ONE
