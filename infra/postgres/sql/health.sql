-- live_faults: The events at which live models have stopped, because they can't process them.
SELECT places.name, places.lane, places.fault_position
FROM liarsdice.generations AS generations
JOIN liarsdice.model_positions AS places USING (name, version, generation)
JOIN unnest($1::text[], $2::integer[]) AS known (name, version) USING (name, version)
WHERE generations.state = 'live' AND places.fault IS NOT NULL
ORDER BY places.name, places.lane
