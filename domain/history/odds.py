"""The exact chance that a bid holds, given what a viewer can see."""

from fractions import Fraction
from functools import lru_cache
from math import comb

from domain.rulebooks import rules_of
from domain.values import Bid
from domain.views import GameView

FACE_COUNT = 6


def chance_of_bid(view: GameView, bid: Bid) -> Fraction:
    """The probability that a bid holds: visible dice are counted, and a hidden die shows each face equally often."""
    rules = rules_of(view.rulebook, view.rulebook_version, view.options)
    counting = rules.of_round(palafico=view.round is not None and view.round.palafico).counting_faces(bid.face)
    matching = hidden = 0
    for seat in view.seats:
        matching += sum(seat.shown.count(face) for face in counting)
        if seat.hidden is None:
            hidden += seat.hidden_count
        else:
            matching += sum(seat.hidden.count(face) for face in counting)
    return chance_of_at_least(bid.quantity - matching, hidden, len(counting))


@lru_cache(maxsize=65_536)
def chance_of_at_least(needed: int, dice: int, faces: int) -> Fraction:
    """The probability that at least `needed` of `dice` dice show one of `faces` faces."""
    if needed <= 0:
        return Fraction(1)
    other = FACE_COUNT - faces
    favourable = sum(comb(dice, hits) * faces**hits * other ** (dice - hits) for hits in range(needed, dice + 1))
    return Fraction(favourable, FACE_COUNT**dice)
