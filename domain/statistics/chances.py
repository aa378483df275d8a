"""Chances in billionths, and what follows from the rules of a round alone: worked out once, looked up ever after."""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import NamedTuple

from domain.events import Hand
from domain.history.odds import FACE_COUNT, chance_of_at_least
from domain.rulebooks.rulebook import RoundRules
from domain.statistics.facts import ONE
from domain.values import FACES, Bid

Counting = tuple[int, ...]
"""The faces that count towards a bid."""


_KEPT_DICE_MAX = 10


class Expected(NamedTuple):
    """The mean of something, and how it varies, in billionths."""

    mean: int
    variance: int


@lru_cache(maxsize=65_536)
def chance(needed: int, dice: int, faces: int) -> int:
    """The chance that at least `needed` of some dice show one of so many faces."""
    return round(chance_of_at_least(needed, dice, faces) * ONE)


def square(value: int) -> int:
    """The square of a number in billionths, in billionths."""
    return value * value // ONE


class Reckoning:
    """What the rules of a round say about bids and hands."""

    def __init__(self, rules: RoundRules) -> None:
        """Use `reckoning_of`, which keeps what was worked out."""
        self._rules = rules
        self.counting: dict[int, Counting] = {face: rules.counting_faces(face) for face in FACES}
        self._lowest: dict[Bid | None, tuple[tuple[int, int, int], ...]] = {}
        self._matches: dict[Hand, dict[int, int]] = {}
        self._expected: dict[int, Expected] = {}

    def lowest(self, standing: Bid | None) -> tuple[tuple[int, int, int], ...]:
        """The lowest legal quantity of each face that may be bid, the face, and how many faces count towards it."""
        found = self._lowest.get(standing)
        if found is None:
            bids = self._rules.lowest_bids(standing)
            found = self._lowest[standing] = tuple(
                (bid.quantity, bid.face, len(self.counting[bid.face])) for bid in bids
            )
        return found

    def matches(self, dice: Hand) -> dict[int, int]:
        """How many of some dice count towards a bid on each face."""
        dice = tuple(sorted(dice))  # There are few hands if their order does not matter.
        found = self._matches.get(dice)
        if found is None:
            found = {face: sum(map(dice.count, faces)) for face, faces in self.counting.items()}
            if len(dice) <= _KEPT_DICE_MAX:
                self._matches[dice] = found
        return found

    def strength(self, hand: Hand) -> int:
        """How many dice of a hand count towards a bid on its best face."""
        return max(self.matches(hand).values())

    def expected_strength(self, dice: int) -> Expected:
        """The strength that a hand of so many dice has on average."""
        if dice not in self._expected:
            self._expected[dice] = self._average(dice)
        return self._expected[dice]

    def _average(self, dice: int) -> Expected:
        """Over all hands of so many dice, each as often as its dice can be ordered."""
        mean = squares = Fraction(0)
        for hand in combinations_with_replacement(FACES, dice):
            orders = factorial(dice) // prod(map(factorial, Counter(hand).values()))
            share, best = Fraction(orders, FACE_COUNT**dice), self.strength(hand)
            mean += share * best
            squares += share * best * best
        return Expected(round(mean * ONE), round((squares - mean * mean) * ONE))


@lru_cache(maxsize=64)
def reckoning_of(rules: RoundRules) -> Reckoning:
    """The one reckoning for these rules. What it keeps is bounded: bids are, and so are the hands of a few dice."""
    return Reckoning(rules)
