-- list_generations: All generations of all models.
SELECT name, version, generation, state, begun_at, live_since FROM liarsdice.generations ORDER BY name, version, generation

-- find_generation: The generation of a model in a state; its row is locked until the transaction ends.
SELECT generation FROM liarsdice.generations WHERE name = $1 AND version = $2 AND state = $3 FOR UPDATE

-- next_generation: The number for the next generation of a model.
SELECT coalesce(max(generation), 0) + 1 FROM liarsdice.generations WHERE name = $1 AND version = $2

-- add_generation: Note a new generation.
INSERT INTO liarsdice.generations (name, version, generation, state, live_since)
VALUES ($1, $2, $3, $4, CASE WHEN $4 = 'live' THEN now() END)

-- add_positions: Start a new generation at the beginning of every lane.
INSERT INTO liarsdice.model_positions (name, version, generation, lane)
SELECT $1, $2, $3, lane FROM generate_series(0, $4 - 1) AS lane

-- retire: Make a generation answer no more.
UPDATE liarsdice.generations SET state = 'retired' WHERE name = $1 AND version = $2 AND generation = $3

-- list_retired: The generations of a model that answer no more.
SELECT generation FROM liarsdice.generations WHERE name = $1 AND version = $2 AND state = 'retired'

-- make_live: Make a generation answer.
UPDATE liarsdice.generations SET state = 'live', live_since = now() WHERE name = $1 AND version = $2 AND generation = $3

-- drop_generation: Forget a generation.
DELETE FROM liarsdice.generations WHERE name = $1 AND version = $2 AND generation = $3

-- tables_of_schema: The tables of a generation.
SELECT tablename FROM pg_tables WHERE schemaname = $1 ORDER BY tablename

-- lock_positions: The positions of models in a lane, locked so that the caller can move them; it skips those that another
-- transaction has locked.
SELECT places.name, places.version, places.generation, places.position, places.fault_position, clock_timestamp() AS at
FROM unnest($1::text[], $2::integer[], $3::integer[]) AS wanted (name, version, generation)
JOIN liarsdice.model_positions AS places USING (name, version, generation)
WHERE places.lane = $4
ORDER BY places.name
FOR UPDATE OF places SKIP LOCKED

-- hold_positions: Lock the positions of a generation until the transaction ends; waits for a transaction that moves them.
SELECT lane, position FROM liarsdice.model_positions WHERE name = $1 AND version = $2 AND generation = $3 FOR UPDATE

-- fault_of: The first event that a generation can't process.
SELECT lane, fault_position, fault_game, fault FROM liarsdice.model_positions
WHERE name = $1 AND version = $2 AND generation = $3 AND fault IS NOT NULL ORDER BY lane LIMIT 1

-- position_of: How many events a generation has processed, in all lanes together.
SELECT sum(position)::bigint FROM liarsdice.model_positions WHERE name = $1 AND version = $2 AND generation = $3

-- lock_rebuilding: Allow only one process at a time to begin, switch or drop generations.
SELECT pg_advisory_xact_lock(8101808)

-- live_generations: The generations that answer, of all models.
SELECT name, version, generation FROM liarsdice.generations WHERE state = 'live'

-- move_positions: Move models on in a lane, and forget a fault that they had there. $6 says for each model when it had
-- everything of the lane; NULL if it does not have everything yet.
UPDATE liarsdice.model_positions AS places
SET position = $5, fault_position = NULL, fault_game = NULL, fault = NULL, fault_since = NULL,
    caught_up_at = coalesce(moved.caught_up_at, places.caught_up_at)
FROM unnest($1::text[], $2::integer[], $3::integer[], $6::timestamptz[])
    AS moved (name, version, generation, caught_up_at)
WHERE (places.name, places.version, places.generation) = (moved.name, moved.version, moved.generation)
    AND places.lane = $4

-- note_fault: Note the event that a model can't process.
UPDATE liarsdice.model_positions
SET fault_position = $5, fault_game = $6, fault = $7, fault_since = coalesce(fault_since, now())
WHERE name = $1 AND version = $2 AND generation = $3 AND lane = $4

-- read_positions: The position of every generation in every lane.
SELECT name, version, generation, lane, position, fault_position, fault_game, fault, fault_since
FROM liarsdice.model_positions ORDER BY name, version, generation, lane

-- scan_lane: For the next events of a lane: the last position, their number, whether they reach the end of the lane, and
-- the games with events that matter to the models, in the order of those events.
SELECT max(position) AS last, count(*) AS events, max(position) >= (SELECT position FROM {lane}.head) AS are_last,
    array_agg(game_id ORDER BY position) FILTER (WHERE topic = ANY ($3)) AS game_ids
FROM (
    SELECT notification_id AS position, split_part(originator_id, ':', 1) AS game_id, topic
    FROM {lane}.stored_events WHERE notification_id > $1 ORDER BY notification_id LIMIT $2
) AS batch

-- read_streams: The events of many streams.
SELECT originator_id, originator_version, topic, state FROM {lane}.stored_events
WHERE originator_id = ANY ($1) ORDER BY originator_id, originator_version

-- read_games: The same, each event with its position in the lane.
SELECT originator_id, originator_version, topic, state, notification_id FROM {lane}.stored_events
WHERE originator_id = ANY ($1) ORDER BY originator_id, originator_version
