-- append_one: Write an append of one event, as most are: the same as `append_all`, but with less to do.
WITH moved AS (
    UPDATE {lane}.head SET position = position + 1
    WHERE $3::bigint = coalesce((
        SELECT known.originator_version + 1 FROM {lane}.stored_events AS known
        WHERE known.originator_id = $2 ORDER BY known.originator_version DESC LIMIT 1
    ), least($3, 1::bigint))
    RETURNING position
), noted AS (
    INSERT INTO {lane}.requests (request_id, position_first, position_last)
    SELECT $1::text, moved.position, moved.position FROM moved
)
INSERT INTO {lane}.stored_events (originator_id, originator_version, topic, state, notification_id)
SELECT $2::text, $3::bigint, $4::text, $5::bytea, moved.position FROM moved
RETURNING notification_id - 1 AS base, pg_notify('stored_events', '{lane} ' || notification_id)

-- append_all: Write many appends at once; no row comes back, or a unique key is violated, if any of them can't be written.
-- It reads from a snapshot that may be older than the lock on the head row. That is safe: a version that was stored
-- meanwhile is found by the primary key, and what the caller has seen was committed before the statement began.
WITH conflict AS (
    SELECT FROM unnest($4::text[], $5::bigint[]) AS stream(id, first)
    WHERE stream.first <> coalesce((
        SELECT known.originator_version + 1 FROM {lane}.stored_events AS known
        WHERE known.originator_id = stream.id ORDER BY known.originator_version DESC LIMIT 1
    ), least(stream.first, 1))
), moved AS (
    UPDATE {lane}.head SET position = position + cardinality($7::bigint[])
    WHERE NOT EXISTS (SELECT FROM conflict)
    RETURNING position - cardinality($7::bigint[]) AS base
), noted AS (
    INSERT INTO {lane}.requests (request_id, position_first, position_last)
    SELECT request.id, moved.base + request.first, moved.base + request.last
    FROM moved, unnest($1::text[], $2::bigint[], $3::bigint[]) AS request(id, first, last)
), stored AS (
    INSERT INTO {lane}.stored_events (originator_id, originator_version, topic, state, notification_id)
    SELECT event.originator_id, event.version, event.topic, event.state, moved.base + event.number
    FROM moved, unnest($6::text[], $7::bigint[], $8::text[], $9::bytea[])
        WITH ORDINALITY AS event(originator_id, version, topic, state, number)
)
SELECT moved.base, pg_notify('stored_events', '{lane} ' || (moved.base + cardinality($7::bigint[]))) FROM moved

-- append: Write many appends at once, or report those that can't be written (see the function in the migrations).
SELECT * FROM {lane}.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)

-- read_stream: The events of a stream after a version, in order.
SELECT originator_version, topic, state
FROM {lane}.stored_events
WHERE originator_id = $1 AND originator_version > $2
ORDER BY originator_version

-- read_lane: The events of a lane after a position, in order and without gaps.
SELECT originator_id, originator_version, topic, state, notification_id
FROM {lane}.stored_events
WHERE notification_id > $1
ORDER BY notification_id
LIMIT $2

-- read_position: The position of the last event of a lane; 0 while it is empty.
SELECT position FROM {lane}.head

-- find_request: Where the events of a request lie.
SELECT position_first, position_last FROM {lane}.requests WHERE request_id = $1

-- select_events: The events of a stream within a range of versions, oldest first.
SELECT originator_version, topic, state
FROM {lane}.stored_events
WHERE originator_id = $1
    AND ($2::bigint IS NULL OR originator_version > $2)
    AND ($3::bigint IS NULL OR originator_version <= $3)
ORDER BY originator_version
LIMIT $4

-- select_events_newest_first: The events of a stream within a range of versions, newest first.
SELECT originator_version, topic, state
FROM {lane}.stored_events
WHERE originator_id = $1
    AND ($2::bigint IS NULL OR originator_version > $2)
    AND ($3::bigint IS NULL OR originator_version <= $3)
ORDER BY originator_version DESC
LIMIT $4

-- select_notifications: The events of a lane within a range of positions, of some topics or of all.
SELECT originator_id, originator_version, topic, state, notification_id
FROM {lane}.stored_events
WHERE notification_id >= $1
    AND ($2::bigint IS NULL OR notification_id <= $2)
    AND ($3::text[] = '{}' OR topic = ANY($3))
ORDER BY notification_id
LIMIT $4

-- track: Note how far a reader has got; nothing comes back if it was there or beyond already.
INSERT INTO {lane}.notification_tracking AS known (application_name, notification_id)
VALUES ($1, $2)
ON CONFLICT (application_name) DO UPDATE SET notification_id = $2 WHERE known.notification_id < $2
RETURNING notification_id

-- read_tracking: How far a reader has got.
SELECT notification_id FROM {lane}.notification_tracking WHERE application_name = $1

-- create_ledger: The place where the migrations that were run are noted, made before the first of them.
CREATE SCHEMA liarsdice;
CREATE TABLE liarsdice.migrations (
    number integer PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)

-- ledger_exists: Whether anything was ever migrated here.
SELECT to_regclass('liarsdice.migrations') IS NOT NULL

-- read_schema_version: The number of the last migration that was run.
SELECT coalesce(max(number), 0) FROM liarsdice.migrations

-- note_migration: Note that a migration was run.
INSERT INTO liarsdice.migrations (number, name) VALUES ($1, $2)

-- read_lanes: The number of lanes that the store was created with.
SELECT value FROM liarsdice.settings WHERE name = 'lanes'

-- fix_lanes: Fix the number of lanes for ever.
INSERT INTO liarsdice.settings (name, value) VALUES ('lanes', $1)

-- lock_migrations: Wait until no other process is migrating.
SELECT pg_advisory_lock($1)

-- unlock_migrations: Let the next process migrate.
SELECT pg_advisory_unlock($1)

-- add_player: Note a new player.
INSERT INTO liarsdice.players (player_id, name) VALUES ($1, $2) ON CONFLICT (player_id) DO NOTHING

-- add_token: Note the hash of a new token.
INSERT INTO liarsdice.tokens (token_hash, player_id, scopes) VALUES ($1, $2, $3)

-- find_token: Who a token stands for, unless it is revoked.
SELECT token.player_id, player.name, token.scopes
FROM liarsdice.tokens AS token JOIN liarsdice.players AS player USING (player_id)
WHERE token.token_hash = $1 AND token.revoked_at IS NULL

-- find_player: A player by id.
SELECT player_id, name FROM liarsdice.players WHERE player_id = $1

-- revoke_token: Make one token worthless; nothing comes back if it was before.
UPDATE liarsdice.tokens SET revoked_at = now() WHERE token_hash = $1 AND revoked_at IS NULL RETURNING token_hash

-- revoke_tokens: Make all tokens of a player worthless.
UPDATE liarsdice.tokens SET revoked_at = now() WHERE player_id = $1 AND revoked_at IS NULL

-- write_lobby: Bring rows of the lobby up to date; a row is never set back to an older version.
INSERT INTO {lane}.lobby AS known (
    game_id, version, created_at, rulebook, phase, players, player_ids, seats_max, owner_id, private, turn_seconds,
    due_at, server_to_move
)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT (game_id) DO UPDATE SET
    version = excluded.version, phase = excluded.phase, players = excluded.players, player_ids = excluded.player_ids,
    due_at = excluded.due_at, server_to_move = excluded.server_to_move
WHERE known.version < excluded.version

-- list_lobby: Tables of a lane that a player may see, the newest first, from after a place in the list.
SELECT game_id, created_at, rulebook, phase, players, seats_max, owner_id, private, turn_seconds
FROM {lane}.lobby
WHERE (NOT private OR owner_id = $1 OR $1 = ANY(player_ids))
    AND ($2::bigint IS NULL OR (created_at, game_id) < ($2, $3::text))
    AND ($4::text IS NULL OR rulebook = $4)
    AND (cardinality($5::text[]) = 0 OR phase = ANY($5))
    AND (NOT $6::boolean OR $1 = ANY(player_ids))
    AND (NOT $7::boolean OR (phase = 'gathering' AND cardinality(player_ids) < seats_max))
ORDER BY created_at DESC, game_id DESC
LIMIT $8

-- list_unattended: Games of a lane in which a player's time is up, or in which the server itself is to move.
SELECT game_id FROM {lane}.lobby WHERE due_at <= $1
UNION
SELECT game_id FROM {lane}.lobby WHERE server_to_move
LIMIT $2
