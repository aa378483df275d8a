-- club_games: The games that count in a club and that everybody may know at $4, from $5 until before $6; with bots if $7.
-- $1 to $3 are the memberships: who, from when on, and until when. A part of the queries below. It is the only place that
-- names the version of the statistics.
SELECT seats.game_id, seats.ended_at,
    array_agg(seats.player_id ORDER BY seats.seat) AS player_ids,
    array_agg(seats.kind ORDER BY seats.seat) AS kinds,
    array_agg(seats.place ORDER BY seats.seat) AS places,
    array_agg(seats.decisions ORDER BY seats.seat) AS decisions,
    array_agg(seats.best_decisions ORDER BY seats.seat) AS best_decisions
FROM statistics_v2.seats AS seats
LEFT JOIN unnest($1::text[], $2::bigint[], $3::bigint[]) AS members (player_id, joined_at, left_at)
    ON members.player_id = seats.player_id
    AND members.joined_at <= seats.ended_at AND (members.left_at IS NULL OR members.left_at > seats.ended_at)
WHERE seats.game_id IN (
        SELECT own.game_id FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS span (player_id, joined_at, left_at)
        JOIN statistics_v2.seats AS own USING (player_id)
        WHERE own.ended_at >= greatest($5::bigint, span.joined_at)
            AND ($6::bigint IS NULL OR own.ended_at < $6) AND (span.left_at IS NULL OR own.ended_at < span.left_at)
            AND own.played = 'ended' AND own.shown_at <= $4
    )
GROUP BY seats.game_id, seats.ended_at
HAVING bool_and(members.player_id IS NOT NULL OR (seats.kind = 'bot' AND $7)) AND count(members.player_id) > 1

-- club_standings: What each person has reached in the games of a club.
WITH games AS ({games}), seats AS (
    SELECT seat.player_id, seat.kind, seat.place, seat.decisions, seat.best_decisions,
        cardinality(games.player_ids) - 1 AS others,
        count(*) OVER table_of - count(*) OVER (table_of ORDER BY seat.place) AS behind,
        count(*) OVER (PARTITION BY games.game_id, seat.place) - 1 AS level
    FROM games CROSS JOIN LATERAL unnest(player_ids, kinds, places, decisions, best_decisions)
        AS seat (player_id, kind, place, decisions, best_decisions)
    WINDOW table_of AS (PARTITION BY games.game_id)
)
SELECT player_id, count(*) AS games, sum(2 * behind + level)::bigint AS points, sum(2 * others)::bigint AS points_possible,
    array_agg(place ORDER BY place) AS places,
    sum(decisions)::bigint AS decisions, sum(best_decisions)::bigint AS best_decisions
FROM seats WHERE kind = 'human' GROUP BY player_id

-- count_club_games: How many games count in a club.
WITH games AS ({games}) SELECT count(*) FROM games

-- club_attendance: The games of a club in the order of their ends, each with the people who played.
WITH games AS ({games})
SELECT game_id, ended_at, player_ids, kinds FROM games ORDER BY ended_at, game_id

-- club_export_ends: For each of $8 lanes the position of the last end of a game of a club.
WITH games AS ({games}), last AS (
    SELECT records.lane, max(records.position) AS position
    FROM history_v2.records AS records JOIN games USING (game_id) GROUP BY records.lane
)
SELECT array_agg(coalesce(last.position, 0) ORDER BY number)
FROM generate_series(0, $8::integer - 1) AS number LEFT JOIN last ON last.lane = number

-- list_club_records: Records of the games of a club that an export has not handed out yet, by when they are shown: $8 and $9 the
-- last one of the part before. $10 and $11 say what the export hands out, $12 and $13 what was handed out before: a moment,
-- and the last end in each lane. $14 is the form, $15 the count.
WITH games AS ({games})
SELECT records.shown_at, records.game_id,
    CASE $14 WHEN 'csv' THEN records.csv WHEN 'notation' THEN records.notation ELSE records.record END AS game
FROM history_v2.records AS records JOIN games USING (game_id)
WHERE records.shown_at <= $10::bigint
    AND records.position <= ($11::bigint[])[records.lane + 1]
    AND (records.position > ($13::bigint[])[records.lane + 1] OR records.shown_at > $12::bigint)
    AND ($8::bigint IS NULL OR (records.shown_at, records.game_id) > ($8, $9::text))
ORDER BY records.shown_at, records.game_id LIMIT $15

-- list_clubs: The clubs that player $1 is a member of, in the order in which they were founded.
SELECT clubs.club_id, clubs.name, clubs.organiser_id, clubs.founded_at, clubs.members
FROM clubs_v1.members AS members JOIN clubs_v1.clubs AS clubs USING (club_id)
WHERE members.player_id = $1 AND members.left_at IS NULL ORDER BY clubs.founded_at, clubs.club_id

-- count_clubs: How many clubs player $1 organises, and is a member of, without those in $2.
SELECT count(*) FILTER (WHERE clubs.organiser_id = $1) AS organised, count(*) AS joined
FROM clubs_v1.members AS members JOIN clubs_v1.clubs AS clubs USING (club_id)
WHERE members.player_id = $1 AND members.left_at IS NULL AND members.club_id <> ALL ($2)
