-- count_games: How many games of each kind a player has, and the newest name. In all of these queries $1 to $6 are: the
-- player, now, whether private games count too, the rulebook, since and until.
SELECT count(*) FILTER (WHERE played = 'ended') AS ended, count(*) FILTER (WHERE played = 'practice') AS practice,
    count(*) FILTER (WHERE played = 'abandoned') AS abandoned, count(*) FILTER (WHERE private) AS private,
    (array_agg(name ORDER BY ended_at DESC, game_id DESC))[1] AS name,
    (array_agg(kind ORDER BY ended_at DESC, game_id DESC))[1] AS kind
FROM statistics_v1.seats
WHERE player_id = $1 AND shown_at <= $2 AND (NOT private OR $3) AND ($4::text IS NULL OR rulebook = $4)
    AND ($5::bigint IS NULL OR ended_at >= $5) AND ($6::bigint IS NULL OR ended_at < $6)

-- count_places: How often a player reached each place among how many, in games of the kind $7.
SELECT place, players, count(*) AS games FROM statistics_v1.seats
WHERE player_id = $1 AND shown_at <= $2 AND (NOT private OR $3) AND ($4::text IS NULL OR rulebook = $4)
    AND ($5::bigint IS NULL OR ended_at >= $5) AND ($6::bigint IS NULL OR ended_at < $6) AND played = $7
GROUP BY place, players ORDER BY place, players

-- sum_facts: The facts of a player, added up over games of the kind $7.
SELECT sum(rounds) AS rounds, sum(forfeits) AS forfeits, sum(clock_moves) AS clock_moves,
    sum(decisions) AS decisions, sum(best_decisions) AS best_decisions,
    sum(regret) AS regret, sum(regret_squares) AS regret_squares,
    sum(bids) AS bids, sum(risk) AS risk, sum(risk_squares) AS risk_squares,
    sum(bluffs) AS bluffs, sum(bluffs_challenged) AS bluffs_challenged, sum(bluffs_caught) AS bluffs_caught,
    sum(challenges) AS challenges, sum(challenges_won) AS challenges_won,
    sum(challenged) AS challenged, sum(held) AS held, sum(exact) AS exact,
    sum(brier) AS brier, sum(brier_squares) AS brier_squares,
    sum(party_expected) AS party_expected, sum(party_variance) AS party_variance,
    sum(rerolls) AS rerolls, sum(gain) AS gain, sum(gain_squares) AS gain_squares,
    sum(hands) AS hands, sum(strength) AS strength,
    sum(strength_expected) AS strength_expected, sum(strength_variance) AS strength_variance,
    sum(time) AS time, sum(time_squares) AS time_squares,
    ARRAY[
        sum(calibration_bids[1]), sum(calibration_bids[2]), sum(calibration_bids[3]), sum(calibration_bids[4]),
        sum(calibration_bids[5]), sum(calibration_bids[6]), sum(calibration_bids[7]), sum(calibration_bids[8]),
        sum(calibration_bids[9]), sum(calibration_bids[10])
    ] AS calibration_bids,
    ARRAY[
        sum(calibration_held[1]), sum(calibration_held[2]), sum(calibration_held[3]), sum(calibration_held[4]),
        sum(calibration_held[5]), sum(calibration_held[6]), sum(calibration_held[7]), sum(calibration_held[8]),
        sum(calibration_held[9]), sum(calibration_held[10])
    ] AS calibration_held,
    ARRAY[
        sum(calibration_chance[1]), sum(calibration_chance[2]), sum(calibration_chance[3]), sum(calibration_chance[4]),
        sum(calibration_chance[5]), sum(calibration_chance[6]), sum(calibration_chance[7]), sum(calibration_chance[8]),
        sum(calibration_chance[9]), sum(calibration_chance[10])
    ] AS calibration_chance,
    ARRAY[
        sum(times[1]), sum(times[2]), sum(times[3]), sum(times[4]), sum(times[5]), sum(times[6]),
        sum(times[7]), sum(times[8]), sum(times[9]), sum(times[10]), sum(times[11]), sum(times[12])
    ] AS times
FROM statistics_v1.seats
WHERE player_id = $1 AND shown_at <= $2 AND (NOT private OR $3) AND ($4::text IS NULL OR rulebook = $4)
    AND ($5::bigint IS NULL OR ended_at >= $5) AND ($6::bigint IS NULL OR ended_at < $6) AND played = $7

-- find_rating: The rating of player $2 on ladder $1 as everybody may know it at $3.
SELECT games, mu, sigma FROM statistics_v1.ratings
WHERE ladder = $1 AND player_id = $2 AND shown_at <= $3 ORDER BY shown_at DESC, game_id DESC LIMIT 1

-- list_ratings: The ratings of player $2 on ladder $1 up to $3, the newest first: from $4 on, $5 and $6 the last one of the
-- page before, then how many.
SELECT shown_at, game_id, games, mu, sigma FROM statistics_v1.ratings
WHERE ladder = $1 AND player_id = $2 AND shown_at <= $3 AND ($4::bigint IS NULL OR shown_at >= $4)
    AND ($5::bigint IS NULL OR (shown_at, game_id) < ($5, $6::text))
ORDER BY shown_at DESC, game_id DESC LIMIT $7

-- compare_players: Players $1 and $7 at the same tables, in games of the kind $8; the other parameters are as above.
SELECT count(*) AS games, count(*) FILTER (WHERE own.place < other.place) AS ahead,
    count(*) FILTER (WHERE own.place = other.place) AS level, count(*) FILTER (WHERE own.place > other.place) AS behind,
    coalesce(sum(own.against[other.seat + 1]), 0)::bigint AS challenges,
    coalesce(sum(own.against_won[other.seat + 1]), 0)::bigint AS challenges_won,
    coalesce(sum(other.against[own.seat + 1]), 0)::bigint AS challenged,
    coalesce(sum(other.against_won[own.seat + 1]), 0)::bigint AS challenged_lost
FROM statistics_v1.seats AS own JOIN statistics_v1.seats AS other USING (game_id)
WHERE own.player_id = $1 AND own.shown_at <= $2 AND (NOT own.private OR $3)
    AND ($4::text IS NULL OR own.rulebook = $4)
    AND ($5::bigint IS NULL OR own.ended_at >= $5) AND ($6::bigint IS NULL OR own.ended_at < $6)
    AND other.player_id = $7 AND own.played = $8

-- rank_by_rating: Players on ladder $1 as everybody may know them at $2, the best first: those of kind $3 with at least
-- $4 games of which the last was not before $5, $6 of them after the first $7.
SELECT best.player_id, seat.name, best.kind, best.games, best.mu, best.sigma
FROM (
    SELECT player_id, game_id, kind, games, mu, sigma FROM statistics_v1.ratings
    WHERE ladder = $1 AND shown_at <= $2 AND superseded_at > $2 AND ($3::text IS NULL OR kind = $3) AND games >= $4
        AND ($5::bigint IS NULL OR shown_at >= $5)
    ORDER BY mu - 3 * sigma DESC, player_id LIMIT $6 OFFSET $7
) AS best
CROSS JOIN LATERAL (
    SELECT name FROM statistics_v1.seats
    WHERE seats.game_id = best.game_id AND seats.player_id = best.player_id ORDER BY seat LIMIT 1
) AS seat
ORDER BY best.mu - 3 * best.sigma DESC, best.player_id

-- rank_by_measure: Players by the measure $1 as everybody may know them at $2, the best first: of kind $3 with at least $4
-- games by rulebook $5 since $6 and until $7, $8 of them after the first $9, in games of the kind $10. A rate ranks by the
-- low end of its interval, so that a player who was lucky in a few games does not lead.
WITH totals AS (
    SELECT player_id, (array_agg(name ORDER BY ended_at DESC, game_id DESC))[1] AS name, min(kind) AS kind,
        count(*) AS games,
        sum(CASE $1::text WHEN 'wins' THEN (place = 1)::integer WHEN 'challenges' THEN challenges_won
            WHEN 'bids' THEN held WHEN 'decisions' THEN best_decisions ELSE 1 END)::bigint AS hits,
        sum(CASE $1 WHEN 'wins' THEN (place IS NOT NULL)::integer WHEN 'challenges' THEN challenges WHEN 'bids' THEN challenged
            WHEN 'decisions' THEN decisions ELSE 1 END)::bigint AS tries
    FROM statistics_v1.seats
    WHERE played = $10 AND NOT private AND shown_at <= $2 AND ($3::text IS NULL OR kind = $3)
        AND ($5::text IS NULL OR rulebook = $5)
        AND ($6::bigint IS NULL OR ended_at >= $6) AND ($7::bigint IS NULL OR ended_at < $7)
    GROUP BY player_id HAVING count(*) >= $4
), shares AS (
    SELECT *, hits::double precision / tries AS share, 3.8414588206941236 / tries AS spread FROM totals WHERE tries > 0
)
SELECT player_id, name, kind, games, hits, tries FROM shares
ORDER BY CASE $1 WHEN 'games' THEN games ELSE
    (share + spread / 2 - sqrt(spread * (share * (1 - share) + spread / 4))) / (1 + spread) END DESC,
    games DESC, player_id
LIMIT $8 OFFSET $9
