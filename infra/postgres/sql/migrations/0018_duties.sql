-- for each lane
-- Work for a lane that is to be done once is done by the server that keeps the lane. The number of a term fences off the
-- servers that kept the lane before.

CREATE TABLE {lane}.duty (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    term bigint NOT NULL DEFAULT 0,
    until timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO {lane}.duty DEFAULT VALUES;
GRANT SELECT, UPDATE (term, until) ON {lane}.duty TO liarsdice_projector;
CREATE TRIGGER terms_only_grow BEFORE UPDATE ON {lane}.duty
    FOR EACH ROW WHEN (NEW.term < OLD.term) EXECUTE FUNCTION liarsdice.refuse_change();
