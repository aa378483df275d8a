"""Chances in billionths, and tables that follow from the rules of a round alone: computed once, then looked up."""

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
    """A mean and a variance, in billionths."""

    mean: int
    variance: int


@lru_cache(maxsize=65_536)
def chance(needed: int, dice: int, faces: int) -> int:
    """The chance that at least `needed` of `dice` dice show one of `faces` faces, in billionths."""
    return round(chance_of_at_least(needed, dice, faces) * ONE)


def square(value: int) -> int:
    """The square of a number in billionths, in billionths."""
    return value * value // ONE


class Reckoning:
    """What the rules of a round say about bids and hands."""

    def __init__(self, rules: RoundRules) -> None:
        """Use `reckoning_of` instead, which shares one instance and its tables."""
        self._rules = rules
        self.counting: dict[int, Counting] = {face: rules.counting_faces(face) for face in FACES}
        self._lowest: dict[Bid | None, tuple[tuple[int, int, int], ...]] = {}
        self._matches: dict[Hand, dict[int, int]] = {}

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
        dice = tuple(sorted(dice))  # Without their order there are few different hands, so the table stays small.
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
        return _average_strength(frozenset(self.counting.values()), dice)


@lru_cache(maxsize=256)
def _average_strength(counting: frozenset[Counting], dice: int) -> Expected:
    """The mean strength over all hands of so many dice; a hand counts once for each order of its dice.

    Rules that count the same faces share it. It adds whole numbers, because there are tens of thousands of hands, and the
    process that needs this may serve players too.
    """
    total = squares = 0
    for hand in combinations_with_replacement(FACES, dice):
        counts = [0, *map(hand.count, FACES)]
        orders = factorial(dice) // prod(map(factorial, counts))
        best = max([sum([counts[face] for face in faces]) for faces in counting])
        total += orders * best
        squares += orders * best * best
    mean = Fraction(total, FACE_COUNT**dice)
    return Expected(round(mean * ONE), round((Fraction(squares, FACE_COUNT**dice) - mean * mean) * ONE))


@lru_cache(maxsize=64)
def reckoning_of(rules: RoundRules) -> Reckoning:
    """The one reckoning for these rules. Its tables stay small: there are only so many bids and hands of a few dice."""
    return Reckoning(rules)
