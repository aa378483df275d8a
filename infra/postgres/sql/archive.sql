-- find_listing: The entry of a game in the list of games.
SELECT listing FROM games_v1.games WHERE game_id = $1

-- list_games: Games that a reader may see, the newest first: $1 the reader, $2 whether to include private games of others,
-- $3 now, $4 and $5 the last one of the page before, then the filters: player, rulebook, result, since, until, practice, count,
-- and what the ids of one kind of bots begin with.
SELECT listing FROM games_v1.games
WHERE (NOT private OR $2 OR owner_id = $1 OR $1 = ANY (player_ids))
    AND ($4::bigint IS NULL OR (created_at, game_id) < ($4, $5::text))
    AND ($6::text IS NULL OR player_ids @> ARRAY[$6])
    AND ($13::text IS NULL OR EXISTS (SELECT FROM unnest(player_ids) AS seated WHERE starts_with(seated, $13)))
    AND ($7::text IS NULL OR rulebook = $7)
    AND ($8::text IS NULL OR $8 = CASE WHEN shown_at > $3 AND NOT $1 = ANY (player_ids) THEN 'running' ELSE result END)
    AND ($9::bigint IS NULL OR created_at >= $9)
    AND ($10::bigint IS NULL OR created_at < $10)
    AND ($11::boolean IS NULL OR practice = $11)
ORDER BY created_at DESC, game_id DESC LIMIT $12

-- find_record: The record of an ended game, with the columns that decide who may read it.
SELECT private, owner_id, player_ids, shown_at, record FROM history_v1.records WHERE game_id = $1

-- list_records: Records that a reader may see, the oldest end first: $1 to $3 as in list_games, $4 and $5 the last one of
-- the page before, then the filters: player, rulebook, result, since, until, practice, count, and what the ids of one kind
-- of bots begin with.
SELECT ended_at, game_id, record FROM history_v1.records
WHERE (NOT private OR $2 OR owner_id = $1 OR $1 = ANY (player_ids))
    AND (shown_at <= $3 OR $1 = ANY (player_ids))
    AND ($4::bigint IS NULL OR (ended_at, game_id) > ($4, $5::text))
    AND ($6::text IS NULL OR player_ids @> ARRAY[$6])
    AND ($13::text IS NULL OR EXISTS (SELECT FROM unnest(player_ids) AS seated WHERE starts_with(seated, $13)))
    AND ($7::text IS NULL OR rulebook = $7)
    AND ($8::text IS NULL OR result = $8)
    AND ($9::bigint IS NULL OR ended_at >= $9)
    AND ($10::bigint IS NULL OR ended_at < $10)
    AND ($11::boolean IS NULL OR practice = $11)
ORDER BY ended_at, game_id LIMIT $12

-- find_replay: The steps of an ended game, with the columns that decide who may read it.
SELECT private, owner_id, player_ids, shown_at, events, digests, odds FROM replays_v1.replays WHERE game_id = $1

-- find_replay_protection: The columns that decide who may read the steps of an ended game.
SELECT private, owner_id, player_ids, shown_at FROM replays_v1.replays WHERE game_id = $1
