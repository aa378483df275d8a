-- find_listing: The entry of a game in the list of games.
SELECT listing FROM games_v1.games WHERE game_id = $1

-- list_games: Games that a reader may see, the newest first: $1 the reader, $2 whether to include private games of others,
-- $3 now, $4 and $5 the last one of the page before, then the filters: player, rulebook, result, since, until, practice, count.
SELECT listing FROM games_v1.games
WHERE (NOT private OR $2 OR owner_id = $1 OR $1 = ANY (player_ids))
    AND ($4::bigint IS NULL OR (created_at, game_id) < ($4, $5::text))
    AND ($6::text IS NULL OR player_ids @> ARRAY[$6])
    AND ($7::text IS NULL OR rulebook = $7)
    AND ($8::text IS NULL OR $8 = CASE WHEN shown_at > $3 AND NOT $1 = ANY (player_ids) THEN 'running' ELSE result END)
    AND ($9::bigint IS NULL OR created_at >= $9)
    AND ($10::bigint IS NULL OR created_at < $10)
    AND ($11::boolean IS NULL OR practice = $11)
ORDER BY created_at DESC, game_id DESC LIMIT $12

-- find_record: The record of an ended game, with the columns that decide who may read it.
SELECT private, owner_id, player_ids, shown_at, record FROM history_v2.records WHERE game_id = $1

-- export_ends: For each lane the position of the last end of a game that a reader may see: $1 to $3 as in list_games, $4 the
-- number of lanes. The ends of games that the reader may not see would tell that these games exist.
SELECT array_agg(coalesce(last.position, 0) ORDER BY number) FROM generate_series(0, $4::integer - 1) AS number
LEFT JOIN LATERAL (
    SELECT position FROM history_v2.records
    WHERE lane = number
        AND (NOT private OR $2 OR owner_id = $1 OR $1 = ANY (player_ids))
        AND (shown_at <= $3 OR $1 = ANY (player_ids))
    ORDER BY position DESC LIMIT 1
) AS last ON true

-- first_new_record: When the first of the games is shown whose ends are after $1 and not after $2, two positions for each lane.
SELECT min(shown_at) FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS lanes (done, until, number)
JOIN history_v2.records AS records ON lane = number - 1 AND position > done AND position <= until

-- list_records: Records that a reader may see and that an export has not handed out yet, by when they are shown: $1 to $3 as
-- in list_games, $4 and $5 the last one of the part before, then the filters: player, rulebook, result, since, until,
-- practice. $12 and $13 say what the export hands out, $14 and $15 what was handed out before: a moment, and the last end
-- in each lane. $16 is the form, $17 the count.
SELECT shown_at, game_id, CASE $16 WHEN 'csv' THEN csv WHEN 'notation' THEN notation ELSE record END AS game
FROM history_v2.records
WHERE (NOT private OR $2 OR owner_id = $1 OR $1 = ANY (player_ids))
    AND (shown_at <= least($3::bigint, $12::bigint) OR $1 = ANY (player_ids))
    AND position <= ($13::bigint[])[lane + 1]
    AND (position > ($15::bigint[])[lane + 1] OR (shown_at > $14::bigint AND NOT $1 = ANY (player_ids)))
    AND ($4::bigint IS NULL OR (shown_at, game_id) > ($4, $5::text))
    AND ($6::text IS NULL OR player_ids @> ARRAY[$6])
    AND ($7::text IS NULL OR rulebook = $7)
    AND ($8::text IS NULL OR result = $8)
    AND ($9::bigint IS NULL OR ended_at >= $9)
    AND ($10::bigint IS NULL OR ended_at < $10)
    AND ($11::boolean IS NULL OR practice = $11)
ORDER BY shown_at, game_id LIMIT $17

-- find_replay: The steps of an ended game, with the columns that decide who may read it.
SELECT private, owner_id, player_ids, shown_at, events, digests, odds FROM replays_v1.replays WHERE game_id = $1

-- find_replay_protection: The columns that decide who may read the steps of an ended game.
SELECT private, owner_id, player_ids, shown_at FROM replays_v1.replays WHERE game_id = $1

-- list_players: Players of public tables by the beginning of a name, in the order of their names: $2 and $3 the last one of
-- the page before.
SELECT player_id, name, kind, games FROM (
    SELECT seats.player_id, (array_agg(seats.name ORDER BY seats.joined_at DESC, seats.game_id))[1] AS name,
        min(seats.kind) AS kind, count(*) AS games
    FROM games_v1.seats AS seats JOIN games_v1.games AS games USING (game_id)
    WHERE NOT games.private AND lower(seats.name) LIKE $1 GROUP BY seats.player_id
) AS found
WHERE $2::text IS NULL OR (lower(name), player_id) > ($2, $3)
ORDER BY lower(name), player_id LIMIT $4

-- find_player: A player of public tables, with the player's newest name.
SELECT seats.player_id, (array_agg(seats.name ORDER BY seats.joined_at DESC, seats.game_id))[1] AS name,
    min(seats.kind) AS kind, count(*) AS games
FROM games_v1.seats AS seats JOIN games_v1.games AS games USING (game_id)
WHERE NOT games.private AND seats.player_id = $1 GROUP BY seats.player_id
