-- What auditors without a key need to check ended rounds: the openings of their commitments, and the public keys of the log.

-- The openings (salt and secret) of the commitments that a leaf covers: those of its game's events since the leaf before.
-- A leaf that covers no commitment has a row too, so that it differs from a leaf whose openings are still missing.
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
