-- The log of ended rounds and games: a Merkle tree whose roots are signed and published.
-- A node is a complete subtree of 2^level leaves; on level 0 it is a leaf. A node never changes.

CREATE TABLE liarsdice.log_head (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    size bigint NOT NULL
);
INSERT INTO liarsdice.log_head (size) VALUES (0);

CREATE TABLE liarsdice.log_leaves (
    index bigint PRIMARY KEY,
    game_id text NOT NULL,
    version bigint NOT NULL,
    topic text NOT NULL,
    round integer,
    digest bytea NOT NULL,
    UNIQUE (game_id, version)
);

CREATE TABLE liarsdice.log_nodes (
    level smallint,
    index bigint,
    hash bytea NOT NULL,
    PRIMARY KEY (level, index)
);

CREATE TABLE liarsdice.checkpoints (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    size bigint NOT NULL,
    note bytea NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
);

CREATE TRIGGER only_grow BEFORE UPDATE ON liarsdice.log_head
    FOR EACH ROW WHEN (NEW.size < OLD.size) EXECUTE FUNCTION liarsdice.refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON liarsdice.log_head
    FOR EACH STATEMENT EXECUTE FUNCTION liarsdice.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON liarsdice.log_leaves
    FOR EACH STATEMENT EXECUTE FUNCTION liarsdice.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON liarsdice.log_nodes
    FOR EACH STATEMENT EXECUTE FUNCTION liarsdice.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON liarsdice.checkpoints
    FOR EACH STATEMENT EXECUTE FUNCTION liarsdice.refuse_change();
ALTER TABLE liarsdice.log_head ENABLE ALWAYS TRIGGER only_grow, ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE liarsdice.log_leaves ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE liarsdice.log_nodes ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE liarsdice.checkpoints ENABLE ALWAYS TRIGGER append_only;

GRANT SELECT ON liarsdice.log_head, liarsdice.log_leaves, liarsdice.log_nodes, liarsdice.checkpoints
    TO liarsdice_appender, liarsdice_projector, liarsdice_reader;
GRANT UPDATE (size) ON liarsdice.log_head TO liarsdice_projector;
GRANT INSERT ON liarsdice.log_leaves, liarsdice.log_nodes, liarsdice.checkpoints TO liarsdice_projector;
