"""Who loses how many dice after a challenge, and who opens the round after it."""

from collections.abc import Callable

from domain.values import Value


class Outcome(Value, frozen=True):
    """A counted challenge: the bid against the dice that were really there."""

    bidder: int
    challenger: int
    quantity: int
    actual: int
    in_play: tuple[int, ...]
    """The seats that had dice in the round."""

    @property
    def winner(self) -> int:
        """The bidder if the bid holds, otherwise the challenger."""
        return self.bidder if self.actual >= self.quantity else self.challenger

    @property
    def loser(self) -> int:
        """The other of the two."""
        return self.challenger if self.actual >= self.quantity else self.bidder


PenaltyRule = Callable[[Outcome], tuple[tuple[int, int], ...]]
"""The penalties as (seat, dice) pairs, in seat order."""

OpenerRule = Callable[[Outcome], int]
"""The seat that opens the next round; the caller checks whether it still has dice."""


def one_die(outcome: Outcome) -> tuple[tuple[int, int], ...]:
    """SH-7, PI-10, PA-9: the loser of the challenge loses one die."""
    return ((outcome.loser, 1),)


def difference(outcome: Outcome) -> tuple[tuple[int, int], ...]:
    """PT-11 to PT-13: the difference between bid and dice, at least one die."""
    return ((outcome.loser, max(1, abs(outcome.actual - outcome.quantity))),)


def difference_or_all_others(outcome: Outcome) -> tuple[tuple[int, int], ...]:
    """BT-14 to BT-16: the difference; but an exact bid costs everyone except the bidder one die."""
    if outcome.actual != outcome.quantity:
        return difference(outcome)
    return tuple((seat, 1) for seat in outcome.in_play if seat != outcome.bidder)


def winner_opens(outcome: Outcome) -> int:
    """BT-18: the winner of the challenge opens."""
    return outcome.winner


def loser_opens(outcome: Outcome) -> int:
    """SH-8, PI-11, PA-10: the loser of the challenge opens."""
    return outcome.loser


def challenger_opens(outcome: Outcome) -> int:
    """PT-14: the challenger opens, won or lost."""
    return outcome.challenger
