-- counted_seats: The seats to add to sums, or to take away from them, for an answer that is exact at the moment $2. In all of
-- these queries $1 to $10 are: the players, now, the caller, the rulebook, the first day in the sums and the day after the
-- last, the times of these days, since and until. Games of days that are cut by since or until come from their rows. A game
-- that waits for the sums is added; one that is in the sums although $2 is before its end was shown is taken away. The sums
-- with 0 keep a plan for all parameters from an index that would find every game of a player.
SELECT game_id, seat, 1 AS sign FROM {schema}.seats
WHERE {whose} AND shown_at + 0 <= $2 AND ended_at >= $9 AND ended_at < $7
UNION ALL
SELECT game_id, seat, 1 FROM {schema}.seats WHERE {whose} AND shown_at + 0 <= $2 AND ended_at >= $8 AND ended_at < $10
UNION ALL
SELECT game_id, seat, 1 FROM {schema}.waiting WHERE {whose} AND shown_at <= $2 AND ended_at >= $7 AND ended_at < $8
UNION ALL
SELECT game_id, seat, -1 FROM {schema}.seats
WHERE {whose} AND shown_at > $2 AND ended_at + 0 >= $7 AND ended_at + 0 < $8 AND NOT EXISTS (
    SELECT FROM {schema}.waiting WHERE waiting.game_id = seats.game_id AND waiting.seat = seats.seat
)

-- sum_groups: The sums of players in each group of the dimensions $11, by kind of games and by whether they are private. With
-- $12 the groups are weeks from Monday on, counted from the week of the first of January 1970.
WITH counted AS ({counted})
SELECT player_id, dimension, grouped.key, played, private, {sums} FROM (
    SELECT player_id, dimension, day, key, rulebook, played, private, {numbers} FROM {schema}.sums
    WHERE player_id = ANY ($1) AND dimension = ANY ($11) AND day >= $5 AND day < $6
    UNION ALL
    SELECT player_id, dimension, day, key, rulebook, played, private, {numbers} FROM ({parts}) AS parts
) AS found
CROSS JOIN LATERAL (VALUES (CASE WHEN $12 THEN (day + 3) / 7 ELSE found.key END)) AS grouped (key)
WHERE (NOT private OR player_id = $3) AND ($4::text IS NULL OR rulebook = $4)
GROUP BY player_id, dimension, grouped.key, played, private
ORDER BY player_id, dimension, grouped.key

-- newest_name: The newest name of player $1 at the moment $2, and the kind; of private games too if $3.
SELECT name, kind FROM {schema}.seats WHERE player_id = $1 AND shown_at <= $2 AND (NOT private OR $3)
ORDER BY ended_at DESC, game_id DESC LIMIT 1

-- compare_players: The players $1 with each other at the same tables, in games of the kind $11. A private game counts only
-- between two players of whom one is the caller.
WITH counted AS ({counted})
SELECT player_id, other_id, {sums} FROM (
    SELECT player_id, other_id, day, rulebook, played, private, {numbers} FROM {schema}.pairs
    WHERE player_id = ANY ($1) AND other_id = ANY ($1) AND day >= $5 AND day < $6
    UNION ALL
    SELECT * FROM ({parts}) AS parts WHERE other_id = ANY ($1)
) AS found
WHERE (NOT private OR player_id = $3 OR other_id = $3) AND ($4::text IS NULL OR rulebook = $4) AND played = $11
GROUP BY player_id, other_id ORDER BY player_id, other_id

-- passed_bids: For each of the players $1 and each who bid before them: how often that bid was one that a challenge answers
-- best, and how often it was raised instead. $2 now, $3 the rulebook, $4 since, $5 until. The bid before is taken only if it is
-- the one that stood: the clock may have made a bid in between, and that is nobody's decision.
WITH made AS (
    SELECT player_id, action, best_quantity, standing_quantity, standing_face, lag(player_id) OVER bid AS other_id,
        lag(quantity) OVER bid AS bid_quantity, lag(face) OVER bid AS bid_face
    FROM {schema}.decisions
    WHERE game_id IN (SELECT game_id FROM {schema}.seats WHERE player_id = ANY ($1) AND ended_at >= $4 AND ended_at < $5)
        AND shown_at <= $2 AND ($3::text IS NULL OR rulebook = $3)
    WINDOW bid AS (PARTITION BY game_id, round ORDER BY version)
)
SELECT player_id, other_id, count(*) AS faced, count(*) FILTER (WHERE action = 'bid') AS passed FROM made
WHERE player_id = ANY ($1) AND other_id <> player_id AND best_quantity IS NULL
    AND (bid_quantity, bid_face) = (standing_quantity, standing_face)
GROUP BY player_id, other_id ORDER BY player_id, other_id

-- list_seats: The games of player $1 up to $2, the newest first: private ones too if $3, of rulebook $4, since $5 and until
-- $6, of the kind $7; $8 and $9 are the last one of the page before, then how many. Several seats of a kind of bots are one row.
SELECT game_id, ended_at, count(*) AS games, count(place) AS placed, count(*) FILTER (WHERE place = 1) AS won, {sums}
FROM {schema}.seats
WHERE player_id = $1 AND shown_at <= $2 AND (NOT private OR $3) AND ($4::text IS NULL OR rulebook = $4)
    AND ended_at >= $5 AND ended_at < $6 AND played = $7 AND ($8::bigint IS NULL OR (ended_at, game_id) < ($8, $9::text))
GROUP BY ended_at, game_id ORDER BY ended_at DESC, game_id DESC LIMIT $10

-- sum_courses: The courses of public games by rulebook, number of players and, with $9, week: $1 now, $2 the rulebook, $3 and
-- $4 the days in the sums, $5 and $6 their times, $7 since, $8 until, $10 the kind of games.
WITH counted AS (
    SELECT game_id, 1 AS sign FROM {schema}.courses
    WHERE shown_at + 0 <= $1 AND (ended_at >= $7 AND ended_at < $5 OR ended_at >= $6 AND ended_at < $8)
    UNION ALL
    SELECT game_id, 1 FROM {schema}.waiting WHERE seat = 0 AND shown_at <= $1 AND ended_at >= $5 AND ended_at < $6
    UNION ALL
    SELECT game_id, -1 FROM {schema}.courses
    WHERE shown_at > $1 AND ended_at + 0 >= $5 AND ended_at + 0 < $6 AND NOT EXISTS (
        SELECT FROM {schema}.waiting WHERE waiting.game_id = courses.game_id
    )
)
SELECT rulebook, players, grouped.week, sum(games) AS games, {sums} FROM (
    SELECT day, rulebook, played, players, games, {numbers} FROM {schema}.course_sums WHERE day >= $3 AND day < $4
    UNION ALL
    SELECT (ended_at / 86400000)::integer, rulebook, played, players, sign, {signed}
    FROM counted JOIN {schema}.courses AS seats USING (game_id) WHERE NOT private
) AS found
CROSS JOIN LATERAL (VALUES (CASE WHEN $9 THEN (day + 3) / 7 END)) AS grouped (week)
WHERE ($2::text IS NULL OR rulebook = $2) AND played = $10
GROUP BY rulebook, players, grouped.week ORDER BY rulebook, players, grouped.week

-- find_rating: The rating of player $2 on ladder $1 as everybody may know it at $3.
SELECT games, mu, sigma FROM {schema}.ratings
WHERE ladder = $1 AND player_id = $2 AND shown_at <= $3 ORDER BY shown_at DESC, game_id DESC LIMIT 1

-- list_ratings: The ratings of player $2 on ladder $1 up to $3, the newest first: from $4 on, $5 and $6 the last one of the
-- page before, then how many.
SELECT shown_at, game_id, games, mu, sigma FROM {schema}.ratings
WHERE ladder = $1 AND player_id = $2 AND shown_at <= $3 AND ($4::bigint IS NULL OR shown_at >= $4)
    AND ($5::bigint IS NULL OR (shown_at, game_id) < ($5, $6::text))
ORDER BY shown_at DESC, game_id DESC LIMIT $7

-- rank_by_rating: Players on ladder $1 as everybody may know them at $2, the best first: those of kind $3 with at least
-- $4 games of which the last was not before $5, $6 of them after the first $7. Most ratings that hold are superseded by none
-- yet, and an index has these in their order.
WITH holding AS (
    (
        SELECT player_id, game_id, kind, games, mu, sigma FROM {schema}.ratings
        WHERE ladder = $1 AND superseded_at = 9223372036854775807 AND shown_at <= $2 AND ($3::text IS NULL OR kind = $3)
            AND games >= $4 AND ($5::bigint IS NULL OR shown_at >= $5)
        ORDER BY mu - 3 * sigma DESC, player_id LIMIT $6::bigint + $7::bigint
    )
    UNION ALL
    SELECT player_id, game_id, kind, games, mu, sigma FROM {schema}.ratings
    WHERE ladder = $1 AND superseded_at > $2 AND superseded_at < 9223372036854775807 AND shown_at <= $2
        AND ($3::text IS NULL OR kind = $3) AND games >= $4 AND ($5::bigint IS NULL OR shown_at >= $5)
), best AS (
    SELECT * FROM holding ORDER BY mu - 3 * sigma DESC, player_id LIMIT $6 OFFSET $7
)
SELECT best.player_id, newest.name, best.kind, best.games, best.mu, best.sigma
FROM best CROSS JOIN LATERAL (
    SELECT name FROM {schema}.seats
    WHERE seats.player_id = best.player_id AND shown_at <= $2 AND NOT private
    ORDER BY ended_at DESC, game_id DESC LIMIT 1
) AS newest
ORDER BY best.mu - 3 * best.sigma DESC, best.player_id

-- rank_by_total: Players by a measure over public games of all time, as everybody may know them at $2, the best first: $1 to
-- $10 as above, $11 the kind of games, of kind $12 with at least $13 games, $14 of them after the first $15. An index has the
-- players in this order; only the few whose games are not all in the sums are added up here. `of_kind` names the kind, so that
-- Postgres knows whether nearly everybody is of it or nearly nobody.
WITH counted AS ({counted}), changes AS (
    SELECT player_id, games, {hits} AS hits, {tries} AS tries FROM ({parts}) AS parts
    WHERE NOT private AND played = $11 AND ($4::text IS NULL OR rulebook = $4)
), ranked AS (
    (
        SELECT player_id, games, {hits} AS hits, {tries} AS tries, {low} AS low
        FROM {schema}.standings
        WHERE rulebook = coalesce($4, '') AND played = $11 AND games >= $13 AND {tries} > 0
            AND NOT EXISTS (SELECT FROM changes WHERE changes.player_id = standings.player_id)
            AND {of_kind}
        ORDER BY {low} DESC, games DESC, player_id LIMIT $14::bigint + $15::bigint
    )
    UNION ALL
    SELECT player_id, games, hits, tries, {low_of} FROM (
        SELECT player_id, sum(games)::bigint AS games, sum(hits)::bigint AS hits, sum(tries)::bigint AS tries FROM (
            SELECT player_id, games, {hits} AS hits, {tries} AS tries FROM {schema}.standings
            WHERE rulebook = coalesce($4, '') AND played = $11 AND player_id IN (SELECT player_id FROM changes)
            UNION ALL
            SELECT * FROM changes
        ) AS changed
        GROUP BY player_id
    ) AS added
    WHERE games >= $13 AND tries > 0
        AND ($12::text IS NULL OR $12 = (
            SELECT kind FROM {schema}.seats WHERE seats.player_id = added.player_id AND shown_at <= $2 AND NOT private
            ORDER BY ended_at DESC, game_id DESC LIMIT 1
        ))
), best AS (
    SELECT * FROM ranked ORDER BY low DESC, games DESC, player_id LIMIT $14 OFFSET $15
)
SELECT best.player_id, newest.name, newest.kind, best.games, best.hits, best.tries
FROM best CROSS JOIN LATERAL (
    SELECT name, kind FROM {schema}.seats
    WHERE seats.player_id = best.player_id AND shown_at <= $2 AND NOT private
    ORDER BY ended_at DESC, game_id DESC LIMIT 1
) AS newest
WHERE $3::text IS NOT NULL AND $5::integer < $6::integer
ORDER BY best.low DESC, best.games DESC, best.player_id

-- is_human: Whether a player in the standings is a person; nearly everybody is.
player_id IN (SELECT player_id FROM {schema}.people WHERE kind = 'human')

-- is_bot: Whether a player in the standings is a bot. There are few, and with the collation of the standings an index finds them.
player_id IN (SELECT player_id COLLATE "default" FROM {schema}.people WHERE kind = 'bot')

-- rank_in_span: The same over the days and times of $5 to $10. It adds up every player of that time.
WITH counted AS ({counted}), added AS (
    SELECT player_id, sum(games)::bigint AS games, sum(hits)::bigint AS hits, sum(tries)::bigint AS tries FROM (
        SELECT player_id, rulebook, played, private, games, {hits} AS hits, {tries} AS tries FROM {schema}.sums
        WHERE dimension = '' AND day >= 0 AND day >= $5 AND day < $6
        UNION ALL
        SELECT player_id, rulebook, played, private, games, {hits} AS hits, {tries} AS tries FROM ({parts}) AS parts
    ) AS found
    WHERE NOT private AND played = $11 AND ($4::text IS NULL OR rulebook = $4) GROUP BY player_id
), best AS (
    SELECT added.*, {low_of} AS low, newest.name, newest.kind
    FROM added CROSS JOIN LATERAL (
        SELECT name, kind FROM {schema}.seats
        WHERE seats.player_id = added.player_id AND shown_at <= $2 AND NOT private
        ORDER BY ended_at DESC, game_id DESC LIMIT 1
    ) AS newest
    WHERE tries > 0 AND games >= $13 AND ($12::text IS NULL OR newest.kind = $12) AND $3::text IS NOT NULL
)
SELECT player_id, name, kind, games, hits, tries FROM best
ORDER BY low DESC, games DESC, player_id LIMIT $14 OFFSET $15

-- list_people: Players by the beginning of a name, in the order of their names: $1 the beginning, $2 its end in that order, $3
-- and $4 the last one of the page before, $5 now, then how many.
SELECT player_id, name, kind, games FROM {schema}.people
WHERE lower_name >= lower($1) AND lower_name < lower($1) || $2 AND known_from <= $5
    AND ($3::text IS NULL OR (lower_name, player_id) > (lower($3), $4))
ORDER BY lower_name, player_id LIMIT $6

-- count_tables: At how many public tables a player has sat.
SELECT games FROM {schema}.people WHERE player_id = $1

-- list_decisions: Decisions of player $1 up to $2: of private games too if $3, of rulebook $4, in games that ended since $5 and
-- until $6, of the kind $7; then the filters: action, the least regret, dice left, players left, phase, whether a bluff. $14 to
-- $17 are the regret, time, game and version of the last one of the page before, then how many.
SELECT * FROM {schema}.decisions AS made
WHERE player_id = $1 AND shown_at <= $2 AND (NOT private OR $3) AND ($4::text IS NULL OR rulebook = $4)
    AND ended_at >= $5 AND ended_at < $6 AND played = $7 AND ($8::text IS NULL OR action = $8) AND regret >= $9
    AND ($10::integer IS NULL OR dice_left = $10) AND ($11::integer IS NULL OR players_left = $11)
    AND ($12::integer IS NULL OR phase = $12) AND ($13::boolean IS NULL OR bluff = $13 AND action = 'bid')
    AND {following} AND {unexported}
ORDER BY {order}ended_at DESC, game_id DESC, version DESC LIMIT $18

-- decisions_from_first: The condition of a first page, which has the parameters of other pages too.
num_nulls($14::bigint, $15::bigint, $16::text, $17::integer) = 4

-- decisions_following: The condition of other pages.
({regret}ended_at, game_id, version) < ({last_regret}$15::bigint, $16::text, $17::integer) AND $14::bigint >= 0

-- decisions_unexported: The condition of an export: $19 and $20 say what it hands out, $21 and $22 what was handed out before,
-- each as a moment and the last end in each lane. The query for the lane is one by itself, so that it looks up one game after
-- the other and never reads all.
made.shown_at <= $19 AND (
    SELECT position <= ($20::bigint[])[lane + 1] AND (position > ($22::bigint[])[lane + 1] OR made.shown_at > $21::bigint)
    FROM history_v2.records WHERE records.game_id = made.game_id
)

-- decisions_of_new_games: The condition of an export that is not the first: new games are shown at $23 or later.
made.game_id IN (SELECT game_id FROM {schema}.seats WHERE player_id = $1 AND shown_at >= $23::bigint)

-- decision_export_ends: For each lane the position of the last end of a game that both read models have and that a reader may
-- see. $1 is the reader, $2 now, $3 the number of lanes. Both models fill each lane in the order of these ends.
SELECT array_agg(coalesce(last.position, 0) ORDER BY number) FROM generate_series(0, $3::integer - 1) AS number
LEFT JOIN LATERAL (
    SELECT position FROM history_v2.records
    WHERE lane = number AND (NOT private OR $1 = ANY (player_ids)) AND shown_at <= $2
        AND EXISTS (SELECT FROM {schema}.courses WHERE courses.game_id = records.game_id)
    ORDER BY position DESC LIMIT 1
) AS last ON true
