-- What auditors need of ended rounds without any key: what opens the commitments of their events, and the public keys of the log.

-- What opens the commitments of the events after the leaf before, of the same game, up to this leaf: salt and secret of each.
-- A leaf that covers no commitment has a row as well, so that one that is not completed yet can be told from it.
CREATE TABLE liarsdice.log_openings (
    leaf bigint PRIMARY KEY REFERENCES liarsdice.log_leaves (index),
    versions bigint[] NOT NULL,
    openings bytea[] NOT NULL,
    CHECK (cardinality(versions) = cardinality(openings)),
    CHECK (array_ndims(versions) = 1 AND array_ndims(openings) = 1)
);

-- The public part of every key that ever signed a checkpoint.
CREATE TABLE liarsdice.log_keys (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    vkey text NOT NULL UNIQUE
);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON liarsdice.log_openings
    FOR EACH STATEMENT EXECUTE FUNCTION liarsdice.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON liarsdice.log_keys
    FOR EACH STATEMENT EXECUTE FUNCTION liarsdice.refuse_change();
ALTER TABLE liarsdice.log_openings ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE liarsdice.log_keys ENABLE ALWAYS TRIGGER append_only;

GRANT SELECT ON liarsdice.log_openings, liarsdice.log_keys TO liarsdice_appender, liarsdice_projector, liarsdice_reader;
GRANT INSERT ON liarsdice.log_openings, liarsdice.log_keys TO liarsdice_projector;
