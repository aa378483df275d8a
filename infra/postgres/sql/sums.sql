-- parts_of_seats: What counted seats add to the groups that a whole seat belongs to; `counted` has the seats and a sign.
-- Day 0 is the first of January 1970.
SELECT seats.player_id, parts.dimension, (seats.ended_at / 86400000)::integer AS day, parts.key,
    seats.rulebook, seats.played, seats.private, counted.sign AS games,
    counted.sign * (seats.place IS NOT NULL)::integer AS placed,
    counted.sign * coalesce(seats.place = 1, false)::integer AS won, {signed}
FROM counted JOIN {schema}.seats AS seats USING (game_id, seat)
CROSS JOIN LATERAL (
    VALUES ('', 0), ('seat', seats.seat), ('players', seats.players), ('place', seats.place * 100 + seats.players)
) AS parts (dimension, key)
WHERE parts.key IS NOT NULL {wanted}

-- parts_of_decisions: What the decisions of counted seats add to the groups that single decisions belong to. The numbers are
-- in the order of the facts of a seat; those that don't follow from decisions are 0.
SELECT made.player_id, parts.dimension, (made.ended_at / 86400000)::integer AS day, parts.key,
    made.rulebook, made.played, made.private, counted.sign AS games, 0 AS placed, 0 AS won,
    0 AS rounds, 0 AS forfeits, 0 AS clock_moves,
    counted.sign * count(*) AS decisions,
    counted.sign * count(*) FILTER (WHERE made.regret = 0) AS best_decisions,
    counted.sign * sum(made.regret) AS regret,
    counted.sign * sum((made.regret::bigint * made.regret / 1000000000)::integer) AS regret_squares,
    counted.sign * count(*) FILTER (WHERE made.action = 'bid') AS bids,
    counted.sign * coalesce(sum(1000000000 - made.chance) FILTER (WHERE made.action = 'bid'), 0) AS risk,
    counted.sign * coalesce(sum(((1000000000 - made.chance)::bigint * (1000000000 - made.chance) / 1000000000)::integer)
        FILTER (WHERE made.action = 'bid'), 0) AS risk_squares,
    counted.sign * count(*) FILTER (WHERE made.bluff) AS bluffs,
    counted.sign * count(*) FILTER (WHERE made.bluff AND made.won IS NOT NULL) AS bluffs_challenged,
    counted.sign * count(*) FILTER (WHERE made.bluff AND NOT made.won) AS bluffs_caught,
    counted.sign * count(made.standing_chance) AS faced,
    counted.sign * count(made.won) FILTER (WHERE made.action = 'challenge') AS challenges,
    counted.sign * count(*) FILTER (WHERE made.action = 'challenge' AND made.won) AS challenges_won,
    counted.sign * count(made.won) FILTER (WHERE made.action = 'bid') AS challenged,
    counted.sign * count(*) FILTER (WHERE made.action = 'bid' AND made.won) AS held,
    counted.sign * count(*) FILTER (WHERE made.exact) AS exact,
    counted.sign * coalesce(sum(made.final_chance) FILTER (WHERE made.action = 'bid'), 0) AS promised,
    counted.sign * coalesce(sum(missed.square) FILTER (WHERE made.action = 'bid'), 0) AS brier,
    counted.sign * coalesce(sum((missed.square::bigint * missed.square / 1000000000)::integer) FILTER (WHERE made.action = 'bid'), 0)
        AS brier_squares,
    counted.sign * coalesce(sum(made.final_chance), 0) AS party_expected,
    counted.sign * coalesce(sum((made.final_chance::bigint * (1000000000 - made.final_chance) / 1000000000)::integer), 0) AS party_variance,
    0 AS rerolls, 0 AS gain, 0 AS gain_squares,
    0 AS hands, 0 AS strength, 0 AS strength_expected, 0 AS strength_variance,
    counted.sign * sum(made.took) AS time,
    counted.sign * sum(made.took::bigint * made.took) AS time_squares
FROM counted JOIN {schema}.decisions AS made USING (game_id, seat)
CROSS JOIN LATERAL (
    VALUES (((made.final_chance - made.won::integer * 1000000000)::bigint
        * (made.final_chance - made.won::integer * 1000000000) / 1000000000)::integer)
) AS missed (square)
CROSS JOIN LATERAL (
    VALUES ('dice_left', made.dice_left), ('players_left', made.players_left), ('opener', made.opened::integer),
        ('phase', made.phase), ('bid_chance', made.bid_decile), ('standing_chance', made.standing_decile),
        ('calibration', CASE WHEN made.action = 'bid' THEN made.final_decile END), ('time', made.time_bin)
) AS parts (dimension, key)
WHERE parts.key IS NOT NULL {wanted}
GROUP BY made.game_id, made.seat, counted.sign, made.player_id, made.ended_at, made.rulebook, made.played, made.private,
    parts.dimension, parts.key

-- parts_of_pairs: What counted seats add to the comparison of their players with the others at the table.
SELECT own.player_id, other.player_id AS other_id, (own.ended_at / 86400000)::integer AS day, own.rulebook, own.played,
    own.private, counted.sign AS games,
    counted.sign * coalesce(own.place < other.place, false)::integer AS ahead,
    counted.sign * coalesce(own.place = other.place, false)::integer AS level,
    counted.sign * coalesce(own.place > other.place, false)::integer AS behind,
    counted.sign * own.against[other.seat + 1] AS challenges,
    counted.sign * own.against_won[other.seat + 1] AS challenges_won,
    counted.sign * own.challenged_by[other.seat + 1] AS challenged,
    counted.sign * own.held_against[other.seat + 1] AS held
FROM counted JOIN {schema}.seats AS own USING (game_id, seat)
JOIN {schema}.seats AS other ON other.game_id = own.game_id AND other.player_id <> own.player_id

-- seats_to_count: All seats of some games.
SELECT game_id, seat, 1 AS sign FROM {schema}.seats WHERE game_id = ANY ($1)

-- has_waiting_games: Whether there are games whose ends everybody may know by now and that are not in the sums.
SELECT EXISTS (
    SELECT FROM {schema}.waiting
    WHERE seat = 0 AND shown_at <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
)

-- take_waiting_games: The first $1 of these games; they wait no more.
WITH found AS (
    SELECT game_id FROM {schema}.waiting
    WHERE seat = 0 AND shown_at <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
    ORDER BY shown_at, game_id LIMIT $1
), taken AS (
    DELETE FROM {schema}.waiting USING found WHERE waiting.game_id = found.game_id
)
SELECT game_id FROM found

-- add_to_sums: Add games to the sums of their players, for the day of each and for all days together, which are day -1.
WITH counted AS ({counted})
INSERT INTO {schema}.sums AS kept (player_id, dimension, day, key, rulebook, played, private, {numbers})
SELECT player_id, dimension, coalesce(day, -1), key, rulebook, played, private, {sums} FROM ({parts}) AS parts
GROUP BY player_id, dimension, key, rulebook, played, private, GROUPING SETS ((day), ())
ON CONFLICT (player_id, dimension, day, key, rulebook, played, private) DO UPDATE SET {added}

-- add_to_pairs: Add games to the comparisons of their players, in the same way.
WITH counted AS ({counted})
INSERT INTO {schema}.pairs AS kept (player_id, other_id, day, rulebook, played, private, {numbers})
SELECT player_id, other_id, coalesce(day, -1), rulebook, played, private, {sums} FROM ({parts}) AS parts
GROUP BY player_id, other_id, rulebook, played, private, GROUPING SETS ((day), ())
ON CONFLICT (player_id, other_id, day, rulebook, played, private) DO UPDATE SET {added}

-- add_to_standings: Add public games to what leaderboards rank by.
INSERT INTO {schema}.standings AS kept (player_id, rulebook, played, {numbers})
SELECT player_id, ladder.rulebook, played, count(*), count(place), count(*) FILTER (WHERE place = 1),
    sum(challenges), sum(challenges_won), sum(challenged), sum(held), sum(decisions), sum(best_decisions)
FROM {schema}.seats CROSS JOIN LATERAL (VALUES (seats.rulebook), ('')) AS ladder (rulebook)
WHERE game_id = ANY ($1) AND NOT private
GROUP BY player_id, ladder.rulebook, played
ON CONFLICT (player_id, rulebook, played) DO UPDATE SET {added}

-- add_to_people: Note the players of public games, with their newest names.
INSERT INTO {schema}.people AS kept (player_id, name, kind, games, ended_at, game_id, known_from, lower_name)
SELECT player_id, (array_agg(name ORDER BY ended_at DESC, game_id COLLATE "C" DESC, seat))[1],
    (array_agg(kind ORDER BY ended_at DESC, game_id COLLATE "C" DESC, seat))[1], count(DISTINCT game_id), max(ended_at),
    (array_agg(game_id ORDER BY ended_at DESC, game_id COLLATE "C" DESC))[1], min(shown_at),
    lower((array_agg(name ORDER BY ended_at DESC, game_id COLLATE "C" DESC, seat))[1])
FROM {schema}.seats WHERE game_id = ANY ($1) AND NOT private
GROUP BY player_id
ON CONFLICT (player_id) DO UPDATE SET games = kept.games + excluded.games,
    known_from = least(kept.known_from, excluded.known_from), ended_at = greatest(kept.ended_at, excluded.ended_at),
    game_id = CASE WHEN (excluded.ended_at, excluded.game_id) > (kept.ended_at, kept.game_id)
        THEN excluded.game_id ELSE kept.game_id END,
    name = CASE WHEN (excluded.ended_at, excluded.game_id) > (kept.ended_at, kept.game_id)
        THEN excluded.name ELSE kept.name END,
    lower_name = CASE WHEN (excluded.ended_at, excluded.game_id) > (kept.ended_at, kept.game_id)
        THEN excluded.lower_name ELSE kept.lower_name END,
    kind = CASE WHEN (excluded.ended_at, excluded.game_id) > (kept.ended_at, kept.game_id)
        THEN excluded.kind ELSE kept.kind END

-- add_to_courses: Add public games to the sums over the courses of games.
INSERT INTO {schema}.course_sums AS kept (day, rulebook, played, players, games, {numbers})
SELECT kept_for.day, rulebook, played, players, count(*), {sums}
FROM {schema}.courses CROSS JOIN LATERAL (VALUES ((ended_at / 86400000)::integer), (-1)) AS kept_for (day)
WHERE game_id = ANY ($1) AND NOT private
GROUP BY kept_for.day, rulebook, played, players
ON CONFLICT (day, rulebook, played, players) DO UPDATE SET games = kept.games + excluded.games, {added}
