"""How the books that roll for the first opener rank a roll; the highest rank opens."""

from collections.abc import Callable

from domain.values import WILD, Value

Rank = Callable[[tuple[int, ...]], tuple[int, ...]]


class OpeningRoll(Value, frozen=True):
    """The roll that decides who opens the first round."""

    dice: int | None
    """How many dice each player rolls; None stands for all of them."""
    rank: Rank


def highest_die(dice: tuple[int, ...]) -> tuple[int, ...]:
    """PI-2, R3: the higher number wins; the skull is face 1, so it counts 1."""
    return dice


def most_wilds_then_sum(dice: tuple[int, ...]) -> tuple[int, ...]:
    """PT-2: most wheels first, then the highest sum of the other dice."""
    return (dice.count(WILD), sum(face for face in dice if face != WILD))
