-- append_one: Write an append of one event, as most are, whose predecessor is known to be stored.
WITH moved AS (
    UPDATE {lane}.head SET position = position + 1 RETURNING position
), noted AS (
    INSERT INTO {lane}.requests (request_id, position_first, position_last, fingerprint)
    SELECT $1::text, moved.position, moved.position, $6::bytea FROM moved
)
INSERT INTO {lane}.stored_events (originator_id, originator_version, topic, state, notification_id)
SELECT $2::text, $3::bigint, $4::text, $5::bytea, moved.position FROM moved
RETURNING notification_id AS position

-- append_all: Write many appends at once; if any of them can't be written, it returns no row or violates a unique key.
-- It reads from a snapshot that may be older than the lock on the head row. That is safe: the primary key finds a version
-- that was stored meanwhile, and what the caller has seen was committed before the statement began.
WITH conflict AS (
    SELECT FROM unnest($5::text[], $6::bigint[]) AS stream(id, first)
    WHERE stream.first <> coalesce((
        SELECT known.originator_version + 1 FROM {lane}.stored_events AS known
        WHERE known.originator_id = stream.id ORDER BY known.originator_version DESC LIMIT 1
    ), least(stream.first, 1))
), moved AS (
    UPDATE {lane}.head SET position = position + cardinality($8::bigint[])
    WHERE NOT EXISTS (SELECT FROM conflict)
    RETURNING position - cardinality($8::bigint[]) AS base
), noted AS (
    INSERT INTO {lane}.requests (request_id, position_first, position_last, fingerprint)
    SELECT request.id, moved.base + request.first, moved.base + request.last, request.fingerprint
    FROM moved, unnest($1::text[], $2::bytea[], $3::bigint[], $4::bigint[]) AS request(id, fingerprint, first, last)
), stored AS (
    INSERT INTO {lane}.stored_events (originator_id, originator_version, topic, state, notification_id)
    SELECT event.originator_id, event.version, event.topic, event.state, moved.base + event.number
    FROM moved, unnest($7::text[], $8::bigint[], $9::text[], $10::bytea[])
        WITH ORDINALITY AS event(originator_id, version, topic, state, number)
)
SELECT moved.base FROM moved

-- append: Write many appends at once, or report those that can't be written (see the function in the migrations).
SELECT * FROM {lane}.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- hint: Wake those who wait for new events of lanes; the channel is the one on which the library's subscriptions listen.
SELECT pg_notify('stored_events', hint) FROM unnest($1::text[]) AS hint

-- read_stream: The next events of a stream after a version, in order.
SELECT originator_version, topic, state
FROM {lane}.stored_events
WHERE originator_id = $1 AND originator_version > $2
ORDER BY originator_version LIMIT $3

-- read_covered: For each end of a round or game, its events with some topics since the end before, each with its end.
SELECT ending.version, covered.originator_id, covered.originator_version, covered.topic, covered.state
FROM unnest($1::text[], $2::bigint[]) AS ending(game_id, version)
CROSS JOIN LATERAL (
    SELECT coalesce((
        SELECT before.originator_version FROM {lane}.stored_events AS before
        WHERE before.originator_id = ending.game_id AND before.originator_version < ending.version
            AND before.topic = ANY($3::text[])
        ORDER BY before.originator_version DESC LIMIT 1
    ), 0) AS version
) AS last
JOIN {lane}.stored_events AS covered ON covered.originator_id = ending.game_id
    AND covered.originator_version > last.version AND covered.originator_version < ending.version
WHERE covered.topic = ANY($4::text[])
ORDER BY covered.originator_id, covered.originator_version

-- read_lane: The events of a lane after a position, in order and without gaps.
SELECT originator_id, originator_version, topic, state, notification_id
FROM {lane}.stored_events
WHERE notification_id > $1
ORDER BY notification_id
LIMIT $2

-- read_wanted: The position that a lane has reached, with each event of some streams after a position, in order; if there
-- is none, one row that has only the position.
SELECT head.position AS head, wanted.*
FROM {lane}.head LEFT JOIN LATERAL (
    SELECT originator_id, originator_version, topic, state, notification_id
    FROM {lane}.stored_events
    WHERE notification_id > $1 AND originator_id = ANY($2::text[])
    ORDER BY notification_id
    LIMIT $3
) AS wanted ON true
ORDER BY wanted.notification_id

-- read_position: The position of the last event of a lane; 0 while it is empty.
SELECT position FROM {lane}.head

-- find_request: The positions of the events that a request stored, and its fingerprint.
SELECT position_first, position_last, fingerprint FROM {lane}.requests WHERE request_id = $1

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

-- track: Note how far a reader has got; returns no row if it had got there or further already.
INSERT INTO {lane}.notification_tracking AS known (application_name, notification_id)
VALUES ($1, $2)
ON CONFLICT (application_name) DO UPDATE SET notification_id = $2 WHERE known.notification_id < $2
RETURNING notification_id

-- read_tracking: How far a reader has got.
SELECT notification_id FROM {lane}.notification_tracking WHERE application_name = $1

-- create_ledger: Make the table that lists the migrations which were run; it must exist before the first of them.
CREATE SCHEMA liarsdice;
CREATE TABLE liarsdice.migrations (
    number integer PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
)

-- ledger_exists: Whether any migration was ever run here.
-- It asks the catalog, which a login without any right on the schema may read too.
SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'liarsdice' AND tablename = 'migrations')

-- store_is_anothers: Whether there is a store here that belongs to another login.
SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'liarsdice' AND NOT pg_has_role(nspowner, 'USAGE'))

-- read_schema_version: The number of the last migration that was run.
SELECT coalesce(max(number), 0) FROM liarsdice.migrations

-- note_migration: Note that a migration was run.
INSERT INTO liarsdice.migrations (number, name) VALUES ($1, $2)

-- read_lanes: The number of lanes that the store was created with.
SELECT value FROM liarsdice.settings WHERE name = 'lanes'

-- fix_lanes: Fix the number of lanes for ever.
INSERT INTO liarsdice.settings (name, value) VALUES ('lanes', $1)

-- lock_migrations: Wait until no other process is migrating; the end of the transaction releases the lock.
SELECT pg_advisory_xact_lock($1)

-- act_as: Give up all rights but those of a role, and answer each query on one core: to start more processes takes longer than
-- most answers do, and players' moves would wait for the cores.
SET ROLE {role};
SET max_parallel_workers_per_gather = 0

-- name_of_login: The name of the login, as it is written in a statement.
SELECT quote_ident(session_user)

-- settle_appender: Settings of an appender's session, whatever the database's defaults are.
-- Every batch has the same shape, and planning each one anew would cost more than writing it. A session that is idle in a
-- transaction would hold a lane's lock, so Postgres ends it.
SET plan_cache_mode = force_generic_plan;
SET default_transaction_isolation = 'read committed';
SET idle_in_transaction_session_timeout = '30s'

-- settle_durability: A commit returns when the data is on the disk, and at the standbys that the operator has named.
-- What the operator has asked for stays, such as remote_apply; only `off`, which waits for nothing, is not enough. While a
-- commit waits for a standby it keeps its locks. Those who wait for these locks give up by themselves, because we never
-- cancel a statement: it might be committing. This limit must be shorter than the time that we wait for an answer.
SET lock_timeout = '20s';
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'

-- settle_derived: A commit returns before the data is on the disk. A crash may lose the last commits, each with its
-- position, and the same data is then computed from the events again. No query here runs long enough to be worth compiling.
SET synchronous_commit = off; SET jit = off

-- note_first_key: Note the first key that seals here, unless one is noted already.
INSERT INTO liarsdice.settings (name, value) VALUES ('sealing_key_ids', $1) ON CONFLICT (name) DO NOTHING

-- note_another_key: Note one more key that seals here.
UPDATE liarsdice.settings SET value = value || ' ' || $1
WHERE name = 'sealing_key_ids' AND $1 <> ALL (string_to_array(value, ' '))

-- read_key_ids: The ids of all keys that ever sealed here, the oldest first, separated by spaces.
SELECT value FROM liarsdice.settings WHERE name = 'sealing_key_ids'
