-- write_lobby: Update rows of the lobby; a row never goes back to an older version.
INSERT INTO {lane}.lobby AS known (
    game_id, version, created_at, rulebook, phase, players, player_ids, seats_max, owner_id, private, turn_seconds,
    due_at, server_to_move, forked_from
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (game_id) DO UPDATE SET
    version = excluded.version, phase = excluded.phase, players = excluded.players, player_ids = excluded.player_ids,
    due_at = excluded.due_at, server_to_move = excluded.server_to_move
WHERE known.version < excluded.version

-- list_lobby: Tables of a lane that a player may see, the newest first, from after a place in the list.
SELECT game_id, created_at, rulebook, phase, players, seats_max, owner_id, private, turn_seconds, forked_from
FROM {lane}.lobby
WHERE (NOT private OR owner_id = $1 OR $1 = ANY(player_ids))
    AND ($2::bigint IS NULL OR (created_at, game_id) < ($2, $3::text))
    AND ($4::text IS NULL OR rulebook = $4)
    AND (cardinality($5::text[]) = 0 OR phase = ANY($5))
    AND (NOT $6::boolean OR $1 = ANY(player_ids))
    AND (NOT $7::boolean OR (phase = 'gathering' AND cardinality(player_ids) < seats_max))
ORDER BY created_at DESC, game_id DESC
LIMIT $8

-- list_unattended: Games of a lane in which a time is up or the server itself must move, with their owners.
-- Times that are up come first. Every owner gets one game, then every owner a second one, and so on. Which game of an
-- owner comes first is left to chance, so that none is always beyond the limit.
SELECT game_id, owner_id, version, server_to_move FROM (
    SELECT game_id, owner_id, version, server_to_move,
        row_number() OVER (PARTITION BY owner_id, server_to_move ORDER BY random()) AS place
    FROM {lane}.lobby WHERE due_at <= $1 OR server_to_move
) AS unattended
ORDER BY server_to_move, place
LIMIT $2

-- count_owned: How many tables of a lane an owner has that are not over, how many of them are practice games, and how
-- many are running games with bots, whose ids begin with a prefix. Some games are left out.
SELECT
    count(*) AS tables,
    count(forked_from) AS practice_games,
    count(*) FILTER (
        WHERE phase <> 'gathering' AND EXISTS (SELECT FROM unnest(player_ids) AS player_id WHERE starts_with(player_id, $2))
    ) AS bot_games
FROM {lane}.lobby
WHERE owner_id = $1 AND phase <> 'ended' AND game_id <> ALL($3::text[])
