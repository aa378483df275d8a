"""Statistics from the sums that the database computes."""

from collections.abc import Sequence

import asyncpg

from domain.statistics.answers import (
    CalibrationBin,
    LeaderboardEntry,
    Measure,
    PlaceCount,
    PlayerStatistics,
    Rating,
    Span,
    TimeBin,
)
from domain.statistics.facts import CALIBRATION_BINS, ONE, TIME_BINS, SeatFacts
from domain.statistics.intervals import expectation_of, mean_of, rate_of

_MILLISECONDS = 1_000


def player_statistics(
    player_id: str,
    span: Span,
    counts: asyncpg.Record,
    places: Sequence[asyncpg.Record],
    facts: SeatFacts,
    *,
    rating: asyncpg.Record | None,
) -> PlayerStatistics:
    """The statistics of a player from the sums of the player's facts."""
    games = sum(row["games"] for row in places)
    return PlayerStatistics(
        player_id=player_id,
        name=counts["name"],
        kind=counts["kind"],
        rulebook=span.rulebook,
        since=span.since,
        until=span.until,
        played=span.played,
        ended_games=counts["ended"],
        practice_games=counts["practice"],
        abandoned_games=counts["abandoned"],
        private_games=counts["private"],
        games=games,
        rounds=facts.rounds,
        wins=rate_of(sum(row["games"] for row in places if row["place"] == 1), _placed(places)),
        expected_wins=sum(row["games"] / row["players"] for row in places if row["place"] is not None),
        places=_place_counts(places),
        forfeits=rate_of(facts.forfeits, games),
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
        calibration=_calibration(facts),
        brier=mean_of(facts.challenged, facts.brier, facts.brier_squares),
        reroll_gain=mean_of(facts.rerolls, facts.gain, facts.gain_squares),
        challenge_outcomes=expectation_of(
            facts.challenges + facts.challenged,
            facts.challenges_won + facts.held,
            facts.party_expected,
            facts.party_variance,
        ),
        dice_luck=expectation_of(facts.hands, facts.strength, facts.strength_expected, facts.strength_variance),
        move_seconds=mean_of(facts.decisions, facts.time, facts.time_squares, _MILLISECONDS, _MILLISECONDS**2),
        move_times=tuple(TimeBin(*one) for one in zip((*TIME_BINS, None), facts.times, strict=True)),
        clock_moves=facts.clock_moves,
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


def _placed(places: Sequence[asyncpg.Record]) -> int:
    return sum(row["games"] for row in places if row["place"] is not None)


def _place_counts(places: Sequence[asyncpg.Record]) -> tuple[PlaceCount, ...]:
    found: dict[int, int] = {}
    for row in places:
        if row["place"] is not None:
            found[row["place"]] = found.get(row["place"], 0) + row["games"]
    return tuple(PlaceCount(*one) for one in sorted(found.items()))


def _calibration(facts: SeatFacts) -> tuple[CalibrationBin, ...]:
    sums = zip(facts.calibration_bids, facts.calibration_held, facts.calibration_chance, strict=True)
    return tuple(
        CalibrationBin(
            low=number / CALIBRATION_BINS,
            high=(number + 1) / CALIBRATION_BINS,
            chance=chance / ONE / bids if bids else None,
            held=rate_of(held, bids),
        )
        for number, (bids, held, chance) in enumerate(sums)
    )
