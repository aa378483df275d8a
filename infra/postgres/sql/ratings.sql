-- lock_settling: Allow only one process at a time to compute the ratings of a generation.
SELECT pg_advisory_xact_lock(8101809, hashtext($1))

-- lanes_behind: In how many lanes other than $4 a generation is more than $5 events behind; lanes with a fault don't count.
SELECT count(*) FROM liarsdice.model_positions AS places JOIN ({heads}) AS heads USING (lane)
WHERE places.name = $1 AND places.version = $2 AND places.generation = $3
    AND places.lane <> $4 AND places.fault IS NULL AND heads.head - places.position > $5

-- head_of_lane: The last position of a lane, with its number.
SELECT {number} AS lane, position AS head FROM {lane}.head

-- has_unsettled_games: Whether there are games without ratings yet.
SELECT EXISTS (SELECT FROM {schema}.rated_games WHERE NOT settled)

-- games_to_rate: The first $1 games without ratings, and all games to rate again because an earlier game of one of their
-- players changes, in the order of rating.
WITH RECURSIVE touched AS (
    (
        SELECT game_id, shown_at, rulebook, player_ids, kinds, places FROM {schema}.rated_games
        WHERE NOT settled ORDER BY shown_at, game_id LIMIT $1
    )
    UNION
    SELECT games.game_id, games.shown_at, games.rulebook, games.player_ids, games.kinds, games.places
    FROM touched
    CROSS JOIN LATERAL unnest(touched.player_ids) AS player (player_id)
    CROSS JOIN LATERAL (
        SELECT ratings.game_id FROM {schema}.ratings
        WHERE ladder = '' AND ratings.player_id = player.player_id
            AND (ratings.shown_at, ratings.game_id) > (touched.shown_at, touched.game_id)
        ORDER BY ratings.shown_at, ratings.game_id LIMIT 1
    ) AS later
    JOIN {schema}.rated_games AS games ON games.game_id = later.game_id
)
SELECT game_id, shown_at, rulebook, player_ids, kinds, places FROM touched ORDER BY shown_at, game_id

-- ratings_before: The last rating of players on ladders before a game.
SELECT wanted.ladder, wanted.player_id, found.shown_at, found.game_id, found.games, found.mu, found.sigma
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS wanted (ladder, player_id, shown_at, game_id)
CROSS JOIN LATERAL (
    SELECT * FROM {schema}.ratings AS ratings
    WHERE ratings.ladder = wanted.ladder AND ratings.player_id = wanted.player_id
        AND (ratings.shown_at, ratings.game_id) < (wanted.shown_at, wanted.game_id COLLATE "C")
    ORDER BY ratings.shown_at DESC, ratings.game_id DESC LIMIT 1
) AS found

-- forget_ratings: Drop the ratings of games that will be rated again.
DELETE FROM {schema}.ratings WHERE game_id = ANY ($1)

-- supersede_ratings: Note when later ratings replace these.
UPDATE {schema}.ratings AS ratings SET superseded_at = followed.superseded_at
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[])
    AS followed (ladder, player_id, shown_at, game_id, superseded_at)
WHERE ratings.ladder = followed.ladder AND ratings.player_id = followed.player_id
    AND ratings.shown_at = followed.shown_at AND ratings.game_id = followed.game_id

-- settle_games: Note that games have their ratings.
UPDATE {schema}.rated_games SET settled = true WHERE game_id = ANY ($1) AND NOT settled
