-- for each lane
-- One lane of the store: a schema with the tables of the eventsourcing library, the lane's head and the known requests.

CREATE SCHEMA {lane};

-- The library's layout, so that its readers can read it. Positions are given by `append`, not by a sequence: they have
-- no gaps, so a reader never has to guess whether one will still be filled.
CREATE TABLE {lane}.stored_events (
    originator_id text NOT NULL,
    originator_version bigint NOT NULL,
    topic text NOT NULL,
    state bytea NOT NULL,
    notification_id bigint NOT NULL,
    PRIMARY KEY (originator_id, originator_version)
);
CREATE UNIQUE INDEX stored_events_notification_id_idx ON {lane}.stored_events (notification_id);

CREATE TABLE {lane}.notification_tracking (
    application_name text PRIMARY KEY,
    notification_id bigint NOT NULL
);

-- The one row whose lock a writer holds from before it looks until it has committed.
CREATE TABLE {lane}.head (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    position bigint NOT NULL
);
INSERT INTO {lane}.head (position) VALUES (0);

-- Which request caused which events, so that a request that comes again gets the same answer.
CREATE TABLE {lane}.requests (
    request_id text PRIMARY KEY,
    position_first bigint NOT NULL,
    position_last bigint NOT NULL
);

-- Write many appends at once, or nothing: if some can't be written, it returns a row for each of those, and the caller
-- asks again without them. An append is `repeated` if its request is stored already, and its row has the positions of the
-- stored events. It is in `conflict` if the first version it brings for one of its streams does not follow the last stored
-- one; a new stream begins with version 1, or with 0 as in the library's own tests. If all are written, the only row has
-- the positions of the first and the last event. No two appends may share a stream.
CREATE FUNCTION {lane}.append(
    request_ids text[], offsets_first bigint[], offsets_last bigint[],
    stream_appends bigint[], stream_ids text[], stream_firsts bigint[],
    originator_ids text[], versions bigint[], topics text[], states bytea[]
) RETURNS TABLE (append bigint, outcome text, position_first bigint, position_last bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    head_position bigint;
BEGIN
    -- Statements after this one see everything that was committed before the lock was given.
    SELECT head.position INTO head_position FROM {lane}.head FOR UPDATE;

    RETURN QUERY
    SELECT array_position(request_ids, known.request_id) - 1::bigint, 'repeated', known.position_first, known.position_last
    FROM {lane}.requests AS known WHERE known.request_id = ANY(request_ids);
    IF FOUND THEN
        RETURN;
    END IF;

    RETURN QUERY
    SELECT DISTINCT stream.append, 'conflict', NULL::bigint, NULL::bigint
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

    INSERT INTO {lane}.requests (request_id, position_first, position_last)
    SELECT request.id, head_position + request.first, head_position + request.last
    FROM unnest(request_ids, offsets_first, offsets_last) AS request(id, first, last);

    UPDATE {lane}.head SET position = head_position + cardinality(versions);
    -- A hint that wakes readers; the channel is the one the library's subscriptions listen on.
    PERFORM pg_notify('stored_events', '{lane} ' || (head_position + cardinality(versions)));

    RETURN QUERY SELECT NULL::bigint, 'written', head_position + 1, head_position + cardinality(versions);
END
$$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {lane}.stored_events
    FOR EACH STATEMENT EXECUTE FUNCTION liarsdice.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {lane}.requests
    FOR EACH STATEMENT EXECUTE FUNCTION liarsdice.refuse_change();

REVOKE ALL ON FUNCTION {lane}.append FROM PUBLIC;
GRANT USAGE ON SCHEMA {lane} TO liarsdice_appender, liarsdice_projector, liarsdice_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA {lane} TO liarsdice_appender, liarsdice_projector, liarsdice_reader;
GRANT INSERT ON {lane}.stored_events, {lane}.requests TO liarsdice_appender;
GRANT UPDATE ON {lane}.head TO liarsdice_appender;
GRANT EXECUTE ON FUNCTION {lane}.append TO liarsdice_appender;
GRANT INSERT, UPDATE ON {lane}.notification_tracking TO liarsdice_projector;
