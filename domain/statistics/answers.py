"""What statistics answer. Every field is defined in docs/reference/statistics.md; times are milliseconds since 1970."""

from typing import Literal

from domain.commands import Kind
from domain.freshness import Freshness
from domain.statistics.decisions import Action, Phase
from domain.statistics.intervals import Expectation, Mean, Rate
from domain.values import Bid, Value

Played = Literal["ended", "practice", "abandoned"]
Measure = Literal["rating", "wins", "challenges", "bids", "decisions", "games"]
Grouping = Literal[
    "dice_left", "players_left", "players", "seat", "opener", "phase", "bid_chance", "standing_chance", "week", "game"
]
GameGrouping = Literal["rulebook", "players", "week"]
Order = Literal["newest", "worst"]


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


class PlayerGroup(Value, frozen=True, kw_only=True):
    """The numbers of a player in one group of games or decisions."""

    group: str
    at: int | None
    games: int
    wins: Rate
    decisions: int
    best_decisions: Rate
    regret: Mean
    risk: Mean
    bluffs: Rate
    bluffs_caught: Rate
    doubted: Rate
    doubts: Rate
    challenges_won: Rate
    bids_held: Rate
    exact_bids: Rate
    brier: Mean
    challenge_outcomes: Expectation
    dice_luck: Expectation
    move_seconds: Mean


class PlayerGroups(Value, frozen=True, kw_only=True):
    """The numbers of a player, group by group."""

    player_id: str
    name: str | None
    kind: Kind | None
    by: Grouping
    rulebook: str | None
    since: int | None
    until: int | None
    played: Played
    groups: tuple[PlayerGroup, ...]
    more: bool
    freshness: Freshness | None = None


class Pair(Value, frozen=True, kw_only=True):
    """Two players at the same tables, from the side of the first."""

    player_id: str
    other_id: str
    games: int
    ahead: Rate
    level: int
    behind: int
    challenges_won: Rate
    bids_held: Rate


class Matrix(Value, frozen=True, kw_only=True):
    """Every player of some against every other."""

    player_ids: tuple[str, ...]
    rulebook: str | None
    since: int | None
    until: int | None
    played: Played
    pairs: tuple[Pair, ...]
    freshness: Freshness | None = None


class GameGroup(Value, frozen=True, kw_only=True):
    """The course of games in one group."""

    group: str
    at: int | None
    games: int
    rounds: Mean
    moves: Mean
    game_seconds: Mean
    opener_wins: Expectation
    opener_rounds: Expectation


class GameStatistics(Value, frozen=True, kw_only=True):
    """How games go, group by group."""

    by: GameGrouping
    rulebook: str | None
    since: int | None
    until: int | None
    played: Played
    groups: tuple[GameGroup, ...]
    freshness: Freshness | None = None


class DecisionMade(Value, frozen=True, kw_only=True):
    """A decision of a player, with the chances as the seat saw them."""

    game_id: str
    version: int
    at: int
    rulebook: str
    player_id: str
    seat: int
    round: int
    action: Action
    bid: Bid | None
    standing: Bid | None
    hidden: tuple[int, ...]
    shown: tuple[int, ...]
    own_dice: int
    dice_left: int
    players_left: int
    opened: bool
    phase: Phase
    chance: float
    standing_chance: float | None
    best_action: Action
    best_bid: Bid | None
    best_chance: float
    regret: float
    bluff: bool
    took_seconds: float
    challenged_by: int | None
    challenged_by_clock: bool
    challenged: int | None
    final_chance: float | None
    won: bool | None
    exact: bool


class DecisionsWanted(Value, frozen=True, kw_only=True):
    """A filter for decisions, and their order."""

    action: Action | None = None
    regret_min: float = 0.0
    dice_left: int | None = None
    players_left: int | None = None
    phase: Phase | None = None
    bluff: bool | None = None
    order: Order = "newest"


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
