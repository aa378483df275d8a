-- Checkpoints with the cosignatures of witnesses. They come later than the checkpoints themselves, and some never do.

CREATE TABLE liarsdice.cosigned_checkpoints (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    size bigint NOT NULL,
    note bytea NOT NULL,
    is_quorum boolean NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON liarsdice.cosigned_checkpoints (size, number);

-- Whether proofs wait until a quorum of witnesses has cosigned. The process that keeps the log says so.
CREATE TABLE liarsdice.witnessing (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    needs_quorum boolean NOT NULL
);
INSERT INTO liarsdice.witnessing (needs_quorum) VALUES (false);

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON liarsdice.cosigned_checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION liarsdice.refuse_change();
ALTER TABLE liarsdice.cosigned_checkpoints ENABLE ALWAYS TRIGGER append_only;

GRANT SELECT ON liarsdice.cosigned_checkpoints, liarsdice.witnessing
    TO liarsdice_appender, liarsdice_projector, liarsdice_reader, liarsdice_log;
GRANT INSERT ON liarsdice.cosigned_checkpoints TO liarsdice_log;
GRANT UPDATE (needs_quorum) ON liarsdice.witnessing TO liarsdice_log;
