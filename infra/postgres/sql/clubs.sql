-- club_games: The games that count in club $1 and that everybody may know at $2, from $3 until before $4; with bots if $5.
-- A part of the queries below. It is the only place that names the version of the statistics.
SELECT seats.game_id, seats.ended_at,
    array_agg(seats.player_id ORDER BY seats.seat) AS player_ids,
    array_agg(seats.kind ORDER BY seats.seat) AS kinds,
    array_agg(seats.place ORDER BY seats.seat) AS places,
    array_agg(seats.decisions ORDER BY seats.seat) AS decisions,
    array_agg(seats.best_decisions ORDER BY seats.seat) AS best_decisions
FROM statistics_v1.seats AS seats
LEFT JOIN clubs_v1.members AS members ON members.club_id = $1 AND members.player_id = seats.player_id
    AND members.joined_at <= seats.ended_at AND (members.left_at IS NULL OR members.left_at > seats.ended_at)
WHERE seats.game_id IN (
        SELECT own.game_id FROM clubs_v1.members AS span JOIN statistics_v1.seats AS own USING (player_id)
        WHERE span.club_id = $1 AND own.ended_at >= greatest($3::bigint, span.joined_at)
            AND ($4::bigint IS NULL OR own.ended_at < $4) AND (span.left_at IS NULL OR own.ended_at < span.left_at)
            AND own.played = 'ended' AND own.shown_at <= $2
    )
GROUP BY seats.game_id, seats.ended_at
HAVING bool_and(members.player_id IS NOT NULL OR (seats.kind = 'bot' AND $5)) AND count(members.player_id) > 1

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

-- list_club_records: The records of the games of a club, the oldest end first: $6 and $7 the last one of the page before,
-- then how many.
WITH games AS ({games})
SELECT records.ended_at, records.game_id, records.record FROM history_v1.records AS records JOIN games USING (game_id)
WHERE $6::bigint IS NULL OR (records.ended_at, records.game_id) > ($6, $7::text)
ORDER BY records.ended_at, records.game_id LIMIT $8

-- list_clubs: The clubs that player $1 is a member of, in the order in which they were founded.
SELECT clubs.club_id, clubs.name, clubs.organiser_id, clubs.founded_at, clubs.members
FROM clubs_v1.members AS members JOIN clubs_v1.clubs AS clubs USING (club_id)
WHERE members.player_id = $1 AND members.left_at IS NULL ORDER BY clubs.founded_at, clubs.club_id

-- count_clubs: How many clubs player $1 organises, and is a member of, without those in $2.
SELECT count(*) FILTER (WHERE clubs.organiser_id = $1) AS organised, count(*) AS joined
FROM clubs_v1.members AS members JOIN clubs_v1.clubs AS clubs USING (club_id)
WHERE members.player_id = $1 AND members.left_at IS NULL AND members.club_id <> ALL ($2)
