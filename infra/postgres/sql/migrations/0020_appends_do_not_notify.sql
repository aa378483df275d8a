-- for each lane
-- Hints are sent after the commit now: commits that notify take turns, and so would lanes.

CREATE OR REPLACE FUNCTION {lane}.append(
    request_ids text[], fingerprints bytea[], offsets_first bigint[], offsets_last bigint[],
    stream_appends bigint[], stream_ids text[], stream_firsts bigint[],
    originator_ids text[], versions bigint[], topics text[], states bytea[]
) RETURNS TABLE (append bigint, outcome text, position_first bigint, position_last bigint, fingerprint bytea)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    head_position bigint;
BEGIN
    -- Statements after this one see everything that was committed before the lock was given.
    SELECT head.position INTO head_position FROM {lane}.head FOR UPDATE;

    RETURN QUERY
    SELECT array_position(request_ids, known.request_id) - 1::bigint, 'repeated',
        known.position_first, known.position_last, known.fingerprint
    FROM {lane}.requests AS known WHERE known.request_id = ANY(request_ids);
    IF FOUND THEN
        RETURN;
    END IF;

    RETURN QUERY
    SELECT DISTINCT stream.append, 'conflict', NULL::bigint, NULL::bigint, NULL::bytea
    FROM unnest(stream_appends, stream_ids, stream_firsts) AS stream(append, id, first)
    WHERE stream.first <> coalesce((
        SELECT stored.originator_version + 1 FROM {lane}.stored_events AS stored
        WHERE stored.originator_id = stream.id ORDER BY stored.originator_version DESC LIMIT 1
    ), least(stream.first, 1));
    IF FOUND THEN
        RETURN;
    END IF;

    INSERT INTO {lane}.stored_events (originator_id, originator_version, topic, state, notification_id)
    SELECT event.originator_id, event.version, event.topic, event.state, head_position + event.number
    FROM unnest(originator_ids, versions, topics, states)
        WITH ORDINALITY AS event(originator_id, version, topic, state, number);

    INSERT INTO {lane}.requests (request_id, position_first, position_last, fingerprint)
    SELECT request.id, head_position + request.first, head_position + request.last, request.fingerprint
    FROM unnest(request_ids, fingerprints, offsets_first, offsets_last) AS request(id, fingerprint, first, last);

    UPDATE {lane}.head SET position = head_position + cardinality(versions);

    RETURN QUERY SELECT NULL::bigint, 'written', head_position + 1, head_position + cardinality(versions), NULL::bytea;
END
$$;
