-- look_at_models: The positions of live models in all lanes beside the last positions of the lanes, and how many seconds ago
-- each model last had everything of a lane.
SELECT places.name, places.lane, places.position, heads.head, places.fault IS NOT NULL AS stopped,
    extract(epoch FROM clock_timestamp() - places.caught_up_at)::double precision AS seconds_since
FROM liarsdice.generations AS generations
JOIN liarsdice.model_positions AS places USING (name, version, generation)
JOIN unnest($1::text[], $2::integer[]) AS known (name, version) USING (name, version)
JOIN ({heads}) AS heads USING (lane)
WHERE generations.state = 'live'

-- has_events_between: Whether a lane has events of some topics after one position and up to another.
SELECT EXISTS (
    SELECT FROM {lane}.stored_events WHERE notification_id > $1 AND notification_id <= $2 AND topic = ANY ($3)
)
