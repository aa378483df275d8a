"""The answers of statistics, from the sums that the database computes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import asyncpg

from domain.statistics.answers import (
    CalibrationBin,
    GameGroup,
    LeaderboardEntry,
    Measure,
    Pair,
    PlaceCount,
    Played,
    PlayerGroup,
    PlayerStatistics,
    Rating,
    Span,
    TimeBin,
)
from domain.statistics.facts import CALIBRATION_BINS, ONE, TIME_BINS, SeatFacts
from domain.statistics.intervals import COUNT, GAIN, SECONDS, Expectation, expectation_of, mean_of, rate_of
from services.archive.people import Named
from services.archive.sums import OF_PAIRS, OF_SEATS

_PLACE = 100
"""A key of the dimension `place` is the place so many times, plus the number of players."""
PLAYER_DIMENSIONS = ("", "calibration", "place", "time")
"""The dimensions that the statistics of a player are made of."""


class Sums(NamedTuple):
    """The sums of a group."""

    games: int
    placed: int
    won: int
    facts: SeatFacts


def sums_of(rows: Iterable[asyncpg.Record]) -> Sums:
    """The sums of one group, from rows that belong to it."""
    added: dict[str, Any] = dict.fromkeys(OF_SEATS, 0)
    for row in rows:
        for name in added:
            added[name] += int(row[name])
    return Sums(added.pop("games"), added.pop("placed"), added.pop("won"), SeatFacts(**added))


def player_statistics(
    player: Named, span: Span, rows: Sequence[asyncpg.Record], rating: asyncpg.Record | None
) -> PlayerStatistics:
    """The statistics of a player from the sums of the player's groups, by kind of games and by whether they are private."""
    of_span = [row for row in rows if row["played"] == span.played]
    whole = sums_of(row for row in of_span if not row["dimension"])
    facts = whole.facts
    places = _games_by_key(row for row in of_span if row["dimension"] == "place")
    return PlayerStatistics(
        player_id=player.player_id,
        name=player.name,
        kind=player.kind,
        rulebook=span.rulebook,
        since=span.since,
        until=span.until,
        played=span.played,
        ended_games=_games(rows, "ended"),
        practice_games=_games(rows, "practice"),
        abandoned_games=_games(rows, "abandoned"),
        private_games=sum(int(row["games"]) for row in rows if not row["dimension"] and row["private"]),
        games=whole.games,
        rounds=facts.rounds,
        wins=rate_of(whole.won, whole.placed),
        expected_wins=sum(games / (key % _PLACE) for key, games in places.items()),
        places=_place_counts(places),
        forfeits=rate_of(facts.forfeits, whole.games),
        rating=None if rating is None else rating_of(rating),
        challenges_won=rate_of(facts.challenges_won, facts.challenges),
        bids_held=rate_of(facts.held, facts.challenged),
        exact_bids=rate_of(facts.exact, facts.challenged),
        bluffs=rate_of(facts.bluffs, facts.bids),
        bluffs_challenged=rate_of(facts.bluffs_challenged, facts.bluffs),
        bluffs_caught=rate_of(facts.bluffs_caught, facts.bluffs),
        risk=mean_of(facts.bids, facts.risk, facts.risk_squares),
        best_decisions=rate_of(facts.best_decisions, facts.decisions),
        regret=mean_of(facts.decisions, facts.regret, facts.regret_squares),
        calibration=_calibration([row for row in of_span if row["dimension"] == "calibration"]),
        brier=mean_of(facts.challenged, facts.brier, facts.brier_squares),
        reroll_gain=mean_of(facts.rerolls, facts.gain, facts.gain_squares, GAIN),
        challenge_outcomes=_outcomes(facts),
        dice_luck=_luck(facts),
        move_seconds=mean_of(facts.decisions, facts.time, facts.time_squares, SECONDS),
        move_times=_move_times([row for row in of_span if row["dimension"] == "time"]),
        clock_moves=facts.clock_moves,
    )


def player_group(group: str, sums: Sums, at: int | None = None) -> PlayerGroup:
    """The numbers of a player in one group."""
    facts = sums.facts
    return PlayerGroup(
        group=group,
        at=at,
        games=sums.games,
        wins=rate_of(sums.won, sums.placed),
        decisions=facts.decisions,
        best_decisions=rate_of(facts.best_decisions, facts.decisions),
        regret=mean_of(facts.decisions, facts.regret, facts.regret_squares),
        risk=mean_of(facts.bids, facts.risk, facts.risk_squares),
        bluffs=rate_of(facts.bluffs, facts.bids),
        bluffs_caught=rate_of(facts.bluffs_caught, facts.bluffs),
        doubted=rate_of(facts.challenged, facts.bids),
        doubts=rate_of(facts.challenges, facts.faced),
        challenges_won=rate_of(facts.challenges_won, facts.challenges),
        bids_held=rate_of(facts.held, facts.challenged),
        exact_bids=rate_of(facts.exact, facts.challenged),
        brier=mean_of(facts.challenged, facts.brier, facts.brier_squares),
        challenge_outcomes=_outcomes(facts),
        dice_luck=_luck(facts),
        move_seconds=mean_of(facts.decisions, facts.time, facts.time_squares, SECONDS),
    )


def game_group(group: str, rows: Sequence[asyncpg.Record], at: int | None = None) -> GameGroup:
    """The course of games in one group."""
    games = _sum(rows, "games")
    means = {name: (games, _sum(rows, name), _sum(rows, f"{name}_squares")) for name in ("rounds", "moves", "time")}
    return GameGroup(
        group=group,
        at=at,
        games=games,
        rounds=mean_of(*means["rounds"], COUNT),
        moves=mean_of(*means["moves"], COUNT),
        game_seconds=mean_of(*means["time"], SECONDS),
        opener_wins=_beside_chance(rows, "won", "opener_wins", "opener_expected"),
        opener_rounds=_beside_chance(rows, "challenges", "opener_rounds_won", "opener_rounds_expected"),
    )


def pair_of(player_id: str, other_id: str, row: Mapping[str, Any] | None) -> Pair:
    """Two players; without a row they have not met."""
    counts = dict.fromkeys(OF_PAIRS, 0) if row is None else {name: int(row[name]) for name in OF_PAIRS}
    compared = counts["ahead"] + counts["level"] + counts["behind"]
    return Pair(
        player_id=player_id,
        other_id=other_id,
        games=counts["games"],
        ahead=rate_of(counts["ahead"], compared),
        level=counts["level"],
        behind=counts["behind"],
        challenges_won=rate_of(counts["challenges_won"], counts["challenges"]),
        bids_held=rate_of(counts["held"], counts["challenged"]),
    )


def rating_of(row: asyncpg.Record) -> Rating:
    """A rating; its ordinal is a strength that the player very probably has at least."""
    return Rating(row["mu"], row["sigma"], row["mu"] - 3 * row["sigma"], row["games"])


def rated_entry(position: int, row: asyncpg.Record) -> LeaderboardEntry:
    """A player on the leaderboard of ratings."""
    rating = rating_of(row)
    return LeaderboardEntry(
        position=position,
        player_id=row["player_id"],
        name=row["name"],
        kind=row["kind"],
        games=row["games"],
        count=row["games"],
        value=rating.mu,
        low=rating.ordinal,
        high=rating.mu + 3 * rating.sigma,
    )


def board_entry(measure: Measure, position: int, row: asyncpg.Record) -> LeaderboardEntry:
    """A player on a leaderboard of counts or rates."""
    rate = rate_of(row["hits"], row["tries"])
    counts = measure == "games"
    return LeaderboardEntry(
        position=position,
        player_id=row["player_id"],
        name=row["name"],
        kind=row["kind"],
        games=row["games"],
        count=row["tries"],
        value=float(row["games"]) if counts else row["hits"] / row["tries"],
        low=None if counts else rate.low,
        high=None if counts else rate.high,
    )


def _games(rows: Sequence[asyncpg.Record], played: Played) -> int:
    return sum(int(row["games"]) for row in rows if not row["dimension"] and row["played"] == played)


def _games_by_key(rows: Iterable[asyncpg.Record]) -> dict[int, int]:
    found: dict[int, int] = {}
    for row in rows:
        found[row["key"]] = found.get(row["key"], 0) + int(row["games"])
    return found


def _place_counts(places: Mapping[int, int]) -> tuple[PlaceCount, ...]:
    found: dict[int, int] = {}
    for key, games in places.items():
        found[key // _PLACE] = found.get(key // _PLACE, 0) + games
    return tuple(PlaceCount(*one) for one in sorted(found.items()) if one[1])


def _calibration(rows: Sequence[asyncpg.Record]) -> tuple[CalibrationBin, ...]:
    bins = [sums_of(row for row in rows if row["key"] == number).facts for number in range(CALIBRATION_BINS)]
    return tuple(
        CalibrationBin(
            low=number / CALIBRATION_BINS,
            high=(number + 1) / CALIBRATION_BINS,
            chance=facts.promised / ONE / facts.challenged if facts.challenged else None,
            held=rate_of(facts.held, facts.challenged),
        )
        for number, facts in enumerate(bins)
    )


def _move_times(rows: Sequence[asyncpg.Record]) -> tuple[TimeBin, ...]:
    ends: tuple[int | None, ...] = (*TIME_BINS, None)
    return tuple(
        TimeBin(end, sum(int(row["decisions"]) for row in rows if row["key"] == number))
        for number, end in enumerate(ends)
    )


def _outcomes(facts: SeatFacts) -> Expectation:
    made, won = facts.challenges + facts.challenged, facts.challenges_won + facts.held
    return expectation_of(made, won, facts.party_expected, facts.party_variance)


def _luck(facts: SeatFacts) -> Expectation:
    return expectation_of(facts.hands, facts.strength, facts.strength_expected, facts.strength_variance)


def _beside_chance(rows: Sequence[asyncpg.Record], of: str, actual: str, expected: str) -> Expectation:
    """How often the opener won, beside one in so many; the variance is that of the mean chance, which is never too small."""
    count, mean = _sum(rows, of), _sum(rows, expected)
    variance = mean * (count * ONE - mean) // (count * ONE) if count else 0
    return expectation_of(count, _sum(rows, actual), mean, variance)


def _sum(rows: Sequence[asyncpg.Record], name: str) -> int:
    return sum(int(row[name]) for row in rows)
