-- The number of the last checkpoint that others may see. A commit whose wait for a standby was cut short is visible at once, but
-- no standby has it. So a checkpoint is published by a second commit, after the one that stored it has waited to its end.

CREATE TABLE liarsdice.published (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    checkpoint bigint NOT NULL
);
INSERT INTO liarsdice.published (checkpoint) SELECT coalesce(max(number), 0) FROM liarsdice.checkpoints;

CREATE TRIGGER only_grow BEFORE UPDATE ON liarsdice.published
    FOR EACH ROW WHEN (NEW.checkpoint < OLD.checkpoint) EXECUTE FUNCTION liarsdice.refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON liarsdice.published
    FOR EACH STATEMENT EXECUTE FUNCTION liarsdice.refuse_change();
ALTER TABLE liarsdice.published ENABLE ALWAYS TRIGGER only_grow, ENABLE ALWAYS TRIGGER append_only;

GRANT SELECT ON liarsdice.published TO liarsdice_appender, liarsdice_projector, liarsdice_reader, liarsdice_log;
GRANT UPDATE (checkpoint) ON liarsdice.published TO liarsdice_log;
