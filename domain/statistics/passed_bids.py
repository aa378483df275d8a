"""How often a player lets a bid pass that the odds say to doubt, against one other player and against all the rest.

A bid is doubtful for the seat to move if, by what that seat knew, a challenge had the best chance to be right. A seat lets it
pass by raising. Two players who are in league doubt each other less than they doubt others. So do friends, and people who fear
each other: the numbers are a hint and no proof. docs/reference/statistics.md has the definition.
"""

from collections.abc import Sequence
from math import erfc, sqrt
from typing import NamedTuple

from domain.freshness import CURRENT, Freshness
from domain.statistics.intervals import Rate, rate_of
from domain.values import Value

_TAIL = 0.025
_DEVIATIONS_MAX = 40.0


class Faced(NamedTuple):
    """How many doubtful bids of another player a player faced, and how many of them the player let pass."""

    player_id: str
    other_id: str
    faced: int
    passed: int


class Difference(Value, frozen=True):
    """One rate less another, with its 95 % interval (Newcombe's, from two Wilson intervals)."""

    value: float
    low: float
    high: float


class PassedBids(Value, frozen=True, kw_only=True):
    """What a player does with doubtful bids of one other player, and with those of all the rest."""

    player_id: str
    other_id: str
    against_other: Rate
    usual: Rate
    difference: Difference | None = None
    """None as long as one of the rates has no tries."""
    stands_out: bool = False
    """Whether the difference is above zero also if the interval is widened for the number of pairs that are compared."""


class PassedBidsReport(Value, frozen=True, kw_only=True):
    """All ordered pairs of some players, what stands out first."""

    player_ids: tuple[str, ...]
    rulebook: str | None = None
    since: int | None = None
    until: int | None = None
    pairs: tuple[PassedBids, ...] = ()
    freshness: Freshness = CURRENT


def compared(players: Sequence[str], found: Sequence[Faced]) -> tuple[PassedBids, ...]:
    """All ordered pairs of some players; `found` has their doubtful bids of everybody, also of players who are not asked for."""
    by_pair = {(one.player_id, one.other_id): one for one in found}
    pairs = [(one, other) for one in players for other in players if one != other]
    z = _deviations(_TAIL / max(len(pairs), 1))
    made = [_pair(one, by_pair.get((one, other), Faced(one, other, 0, 0)), found, z) for one, other in pairs]
    return tuple(sorted(made, key=lambda one: (not one.stands_out, -(one.difference.low if one.difference else -1))))


def _pair(player_id: str, against: Faced, found: Sequence[Faced], z: float) -> PassedBids:
    rest = [one for one in found if one.player_id == player_id and one.other_id != against.other_id]
    passed, faced = sum(one.passed for one in rest), sum(one.faced for one in rest)
    widened = _difference(rate_of(against.passed, against.faced, z), rate_of(passed, faced, z))
    rates = rate_of(against.passed, against.faced), rate_of(passed, faced)
    return PassedBids(
        player_id=player_id,
        other_id=against.other_id,
        against_other=rates[0],
        usual=rates[1],
        difference=_difference(*rates),
        stands_out=widened is not None and widened.low > 0,
    )


def _deviations(tail: float) -> float:
    """Beyond how many standard deviations on one side a normal distribution has this much of its weight."""
    low, high = 0.0, _DEVIATIONS_MAX
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if erfc(middle / sqrt(2)) / 2 > tail else (low, middle)
    return high


def _difference(one: Rate, other: Rate) -> Difference | None:
    if one.rate is None or other.rate is None:
        return None
    assert None not in {one.low, one.high, other.low, other.high}, "a rate has an interval"
    value = one.rate - other.rate
    below = sqrt((one.rate - (one.low or 0.0)) ** 2 + ((other.high or 0.0) - other.rate) ** 2)
    above = sqrt(((one.high or 0.0) - one.rate) ** 2 + (other.rate - (other.low or 0.0)) ** 2)
    return Difference(value, value - below, value + above)
