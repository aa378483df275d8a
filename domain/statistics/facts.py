"""The facts of a seat in one game: counts and sums that add up over any number of games.

Everything is a whole number, so that sums come out the same in any order. Chances, numbers computed from chances and
their squares are in billionths (`ONE`). Times are in milliseconds. docs/reference/statistics.md says what each number means.
"""

from domain.values import Value

ONE = 1_000_000_000
"""The chance of what is certain, in billionths."""

CALIBRATION_BINS = 10
TIME_BINS = (500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 900_000)
"""The upper ends of the time bins, in milliseconds; one more bin holds all longer times."""
TIME_MAX = 24 * 3_600_000
"""A move that takes longer counts as one that took a day: one forgotten game must not drown all others."""


class SeatFacts(Value, frozen=True, kw_only=True):
    """What a seat did in a game, and what came of it."""

    rounds: int = 0
    forfeits: int = 0
    clock_moves: int = 0

    decisions: int = 0
    best_decisions: int = 0
    regret: int = 0
    regret_squares: int = 0

    bids: int = 0
    risk: int = 0
    risk_squares: int = 0
    bluffs: int = 0
    bluffs_challenged: int = 0
    bluffs_caught: int = 0

    faced: int = 0
    """Decisions about a standing bid, which could have been challenged."""
    challenges: int = 0
    challenges_won: int = 0
    challenged: int = 0
    held: int = 0
    exact: int = 0
    promised: int = 0
    """The chances of its challenged bids to hold, added up."""

    brier: int = 0
    brier_squares: int = 0
    party_expected: int = 0
    """How many of its challenges, made or received, the seat should win by its odds."""
    party_variance: int = 0

    rerolls: int = 0
    gain: int = 0
    gain_squares: int = 0

    hands: int = 0
    strength: int = 0
    strength_expected: int = 0
    strength_variance: int = 0

    time: int = 0
    time_squares: int = 0

    calibration_bids: tuple[int, ...] = (0,) * CALIBRATION_BINS
    calibration_held: tuple[int, ...] = (0,) * CALIBRATION_BINS
    calibration_chance: tuple[int, ...] = (0,) * CALIBRATION_BINS
    times: tuple[int, ...] = (0,) * (len(TIME_BINS) + 1)

    against: tuple[int, ...] = ()
    """How often the seat challenged each of the seats."""
    against_won: tuple[int, ...] = ()
    challenged_by: tuple[int, ...] = ()
    """How often each of the seats, or the clock for it, challenged a bid of this seat."""
    held_against: tuple[int, ...] = ()


NUMBERS = tuple(name for name, kind in SeatFacts.__annotations__.items() if kind is int)
"""The names of the facts that are single numbers."""
