"""A decision of a player: a bid or a challenge, what the seat knew then, and what came of it.

Chances are in billionths and times in milliseconds, as in the facts of a seat. docs/reference/statistics.md defines each field.
"""

from typing import Literal, NamedTuple

from domain.events import Hand
from domain.statistics.facts import CALIBRATION_BINS, ONE
from domain.values import Bid, Value

Action = Literal["bid", "challenge"]
Phase = Literal["early", "middle", "late"]
PHASES: tuple[Phase, ...] = ("early", "middle", "late")


class Best(NamedTuple):
    """The best chance to be right, and the move that has it: a bid, or a challenge if `bid` is None."""

    chance: int
    bid: Bid | None


class Decision(Value, frozen=True, kw_only=True):
    """A bid or a challenge that a player made in turn."""

    version: int
    """The number of its event in the game."""
    at: int
    round: int
    seat: int
    action: Action
    bid: Bid | None
    """The bid that was made; None for a challenge."""
    standing: Bid | None
    """The bid that stood before; None if the seat made the first bid of the round."""

    hidden: Hand
    """The dice under the seat's own cup at that time."""
    shown: Hand
    """The seat's own dice beside its cup."""
    own_dice: int
    dice_left: int
    players_left: int
    opened: bool
    """Whether the seat opened the round."""
    phase: Phase

    chance: int
    """The chance to be right: that the bid of the seat holds, or that the challenged bid fails."""
    standing_chance: int | None
    """The chance that the standing bid holds, as the seat saw it."""
    best_chance: int
    best_bid: Bid | None
    """The bid with the best chance to be right; None if a challenge has it."""
    regret: int
    bluff: bool
    took: int

    challenged_by: int | None = None
    """The seat that challenged the bid."""
    challenged_by_clock: bool = False
    """Whether the clock made that challenge for the seat."""
    final_chance: int | None = None
    """The chance to win the challenge, made or received, as the seat saw it when it was made."""
    won: bool | None = None
    """Whether the challenge was won: the bid of the seat held, or the challenged bid failed. None if nobody challenged the bid."""
    exact: bool = False
    """Whether exactly as many dice lay there as the challenged bid of the seat said."""
    challenged: int | None = None
    """The seat whose bid was challenged; None for a bid."""

    @property
    def best_action(self) -> Action:
        """The kind of the best move."""
        return "challenge" if self.best_bid is None else "bid"


def phase_of(dice_left: int, dice_first: int) -> Phase:
    """The phase of a game by the share of its dice that are left: more than two thirds, more than one third, or less."""
    return PHASES[(3 * dice_left <= 2 * dice_first) + (3 * dice_left <= dice_first)]


def decile_of(chance: int) -> int:
    """Which of ten bins a chance belongs to, from 0 on; what is certain belongs to the last."""
    return min(chance * CALIBRATION_BINS // ONE, CALIBRATION_BINS - 1)
