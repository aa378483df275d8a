-- lock_log: How many leaves the log has; no other transaction can add leaves before this one ends.
SELECT size FROM liarsdice.log_head FOR UPDATE

-- grow_log: Note how many leaves the log has now.
UPDATE liarsdice.log_head SET size = $1

-- add_leaves: Add leaves.
INSERT INTO liarsdice.log_leaves (index, game_id, version, topic, round, digest, form)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::integer[], $6::bytea[], $7::smallint[])

-- add_nodes: Add the nodes that new leaves have completed.
INSERT INTO liarsdice.log_nodes (level, index, hash) SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bytea[])

-- read_nodes: Some nodes.
SELECT node.level, node.index, node.hash FROM liarsdice.log_nodes AS node
JOIN unnest($1::smallint[], $2::bigint[]) AS wanted(level, index) USING (level, index)

-- find_leaf: The leaf of a round; without a round, the leaf of the end of the game.
SELECT index, game_id, version, topic, round, digest, form FROM liarsdice.log_leaves
WHERE game_id = $1 AND round IS NOT DISTINCT FROM $2::integer

-- leaves_of_game: The leaves of a game in their order.
SELECT index, game_id, version, topic, round, digest, form FROM liarsdice.log_leaves WHERE game_id = $1 ORDER BY index

-- read_leaves: Leaves in their order, from an index on.
SELECT index, game_id, version, topic, round, digest, form FROM liarsdice.log_leaves
WHERE index >= $1 ORDER BY index LIMIT $2

-- add_checkpoint: Keep a checkpoint.
INSERT INTO liarsdice.checkpoints (size, note) VALUES ($1, $2)

-- latest_checkpoint: The checkpoint that was signed last, also if it is not published yet.
SELECT number, size, note FROM liarsdice.checkpoints ORDER BY number DESC LIMIT 1

-- publish: Let others see the checkpoints up to a number.
UPDATE liarsdice.published SET checkpoint = $1 WHERE checkpoint < $1

-- published_checkpoint: The last checkpoint that is published.
SELECT size, note FROM liarsdice.checkpoints WHERE number <= (SELECT checkpoint FROM liarsdice.published)
ORDER BY number DESC LIMIT 1

-- read_sizes: How many leaves the log has according to its head, its leaves and its last checkpoint, all at one moment.
SELECT
    (SELECT size FROM liarsdice.log_head) AS head,
    (SELECT coalesce(max(index) + 1, 0) FROM liarsdice.log_leaves) AS leaves,
    (SELECT coalesce((SELECT size FROM liarsdice.checkpoints ORDER BY number DESC LIMIT 1), 0)) AS signed

-- digests_begin: The position of a lane after which every event has a digest.
SELECT value FROM liarsdice.settings WHERE name = 'digests of {lane} begin after'

-- read_all_nodes: Nodes of a level in their order, from an index on.
SELECT index, hash FROM liarsdice.log_nodes WHERE level = $1 AND index >= $2 AND index < $3 ORDER BY index LIMIT $4

-- checkpoint_of: The published checkpoint of a size, the last signed one if there are several.
SELECT note FROM liarsdice.checkpoints WHERE size = $1 AND number <= (SELECT checkpoint FROM liarsdice.published)
ORDER BY number DESC LIMIT 1

-- signed_of: The checkpoint of a size, also if it is not published yet.
SELECT note FROM liarsdice.checkpoints WHERE size = $1 ORDER BY number DESC LIMIT 1

-- checkpoint_of_age: The last published checkpoint that is at least so many seconds old; with the last note of its size.
SELECT size, note FROM liarsdice.checkpoints, liarsdice.published WHERE size = (
    SELECT size FROM liarsdice.checkpoints
    WHERE made_at <= now() - make_interval(secs => $1) AND number <= published.checkpoint
    ORDER BY made_at DESC, number DESC LIMIT 1
) AND number <= published.checkpoint ORDER BY number DESC LIMIT 1

-- add_openings: Store the openings of a leaf, unless it has some already.
INSERT INTO liarsdice.log_openings (leaf, versions, openings) VALUES ($1, $2, $3) ON CONFLICT (leaf) DO NOTHING

-- openings_of_game: The openings of a game up to a version, leaf by leaf; NULL for a leaf that has none yet.
SELECT opened.versions, opened.openings FROM liarsdice.log_leaves AS leaf
LEFT JOIN liarsdice.log_openings AS opened ON opened.leaf = leaf.index
WHERE leaf.game_id = $1 AND leaf.version <= $2

-- read_openings: The openings of some leaves, as far as they have any.
SELECT leaf, versions, openings FROM liarsdice.log_openings WHERE leaf = ANY($1::bigint[])

-- leaves_without_openings: Leaves without openings in their order, from an index on to before another.
SELECT index, game_id, version, topic, round, digest, form FROM liarsdice.log_leaves
WHERE index >= $1 AND index < $2
    AND NOT EXISTS (SELECT FROM liarsdice.log_openings AS opened WHERE opened.leaf = log_leaves.index)
ORDER BY index LIMIT $3

-- note_log_keys: Note the public keys of the log, the oldest first.
INSERT INTO liarsdice.log_keys (vkey) SELECT vkey FROM unnest($1::text[]) WITH ORDINALITY AS noted(vkey, number)
WHERE NOT EXISTS (SELECT FROM liarsdice.log_keys AS known WHERE known.vkey = noted.vkey) ORDER BY noted.number

-- read_log_keys: All public keys of the log, old ones too, the newest first.
SELECT vkey FROM liarsdice.log_keys ORDER BY number DESC

-- add_cosigned: Keep a checkpoint with the cosignatures of witnesses.
INSERT INTO liarsdice.cosigned_checkpoints (size, note, is_quorum) VALUES ($1, $2, $3)

-- cosigned_after: The latest cosigned checkpoint with more than so many leaves, that a quorum has seen if one is needed.
SELECT size, note FROM liarsdice.cosigned_checkpoints
WHERE size > $1 AND (is_quorum OR NOT (SELECT needs_quorum FROM liarsdice.witnessing))
ORDER BY size DESC, number DESC LIMIT 1

-- cosigned_of: The cosigned checkpoint of a size, the last one if there are several.
SELECT note FROM liarsdice.cosigned_checkpoints WHERE size = $1 ORDER BY number DESC LIMIT 1

-- needs_quorum: Whether proofs wait until a quorum of witnesses has cosigned.
SELECT needs_quorum FROM liarsdice.witnessing

-- note_needs_quorum: Note whether they do.
UPDATE liarsdice.witnessing SET needs_quorum = $1 WHERE needs_quorum <> $1
