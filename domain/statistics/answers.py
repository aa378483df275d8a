"""What statistics answer. Every field is defined in docs/reference/statistics.md; times are milliseconds since 1970."""

from typing import Literal

from domain.commands import Kind
from domain.freshness import Freshness
from domain.statistics.intervals import Expectation, Mean, Rate
from domain.values import Value

Played = Literal["ended", "practice", "abandoned"]
Measure = Literal["rating", "wins", "challenges", "bids", "decisions", "games"]


class Span(Value, frozen=True, kw_only=True):
    """A selection of games: by rulebook, by when they ended and by how they ended."""

    rulebook: str | None = None
    since: int | None = None
    until: int | None = None
    played: Played = "ended"


class Rating(Value, frozen=True):
    """The estimated strength of a player after so many games."""

    mu: float
    sigma: float
    ordinal: float
    games: int


class PlaceCount(Value, frozen=True):
    """How often a player reached a place."""

    place: int
    games: int


class CalibrationBin(Value, frozen=True):
    """The challenged bids whose chance, as the bidder saw it, lay between `low` and `high`."""

    low: float
    high: float
    chance: float | None
    held: Rate


class TimeBin(Value, frozen=True):
    """The moves that took less than this, but no less than the end of the bin before."""

    below_milliseconds: int | None
    moves: int


class PlayerStatistics(Value, frozen=True, kw_only=True):
    """The statistics of a player over some games."""

    player_id: str
    name: str | None
    kind: Kind | None
    rulebook: str | None
    since: int | None
    until: int | None
    played: Played

    ended_games: int
    practice_games: int
    abandoned_games: int
    private_games: int

    games: int
    rounds: int
    wins: Rate
    expected_wins: float
    places: tuple[PlaceCount, ...]
    forfeits: Rate
    rating: Rating | None

    challenges_won: Rate
    bids_held: Rate
    exact_bids: Rate
    bluffs: Rate
    bluffs_challenged: Rate
    bluffs_caught: Rate
    risk: Mean

    best_decisions: Rate
    regret: Mean
    calibration: tuple[CalibrationBin, ...]
    brier: Mean
    reroll_gain: Mean

    challenge_outcomes: Expectation
    dice_luck: Expectation

    move_seconds: Mean
    move_times: tuple[TimeBin, ...]
    clock_moves: int
    freshness: Freshness | None = None


class LeaderboardEntry(Value, frozen=True, kw_only=True):
    """A player on a leaderboard."""

    position: int
    player_id: str
    name: str
    kind: Kind
    games: int
    count: int
    value: float
    low: float | None
    high: float | None


class Leaderboard(Value, frozen=True, kw_only=True):
    """Players in the order of a measure, the best first."""

    measure: Measure
    rulebook: str | None
    since: int | None
    until: int | None
    played: Played
    entries: tuple[LeaderboardEntry, ...]
    more: bool
    freshness: Freshness | None = None


class HeadToHead(Value, frozen=True, kw_only=True):
    """Two players at the same tables, from the side of the first."""

    player_id: str
    other_id: str
    rulebook: str | None
    since: int | None
    until: int | None
    played: Played
    games: int
    ahead: Rate
    level: int
    behind: int
    challenges_won: Rate
    bids_held: Rate
    freshness: Freshness | None = None


class RatingPoint(Value, frozen=True, kw_only=True):
    """A rating, and the game after which the player had it."""

    at: int
    game_id: str
    rating: Rating


class RatingHistory(Value, frozen=True, kw_only=True):
    """The ratings of a player, the newest first."""

    player_id: str
    rulebook: str | None
    since: int | None
    until: int | None
    played: Played
    points: tuple[RatingPoint, ...]
    more: bool
