-- A role for each job: looking up tokens no longer needs the appender, and keeping the log is no longer the projector's.
-- As before, the login that runs this must be able to act as each role; a login that may create roles grants them to itself.

DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['liarsdice_log', 'liarsdice_tokens'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- Another database was quicker.
            END;
        END IF;
        IF NOT pg_has_role(current_user, role_name, 'SET') THEN
            EXECUTE format('GRANT %I TO CURRENT_USER WITH SET TRUE', role_name);
        END IF;
    END LOOP;
END
$$;

GRANT USAGE ON SCHEMA liarsdice TO liarsdice_log, liarsdice_tokens;
GRANT SELECT ON liarsdice.settings, liarsdice.migrations TO liarsdice_log;

GRANT SELECT (player_id, name) ON liarsdice.players TO liarsdice_tokens;
GRANT SELECT (token_hash, player_id, scopes, revoked_at) ON liarsdice.tokens TO liarsdice_tokens;

REVOKE UPDATE (size) ON liarsdice.log_head FROM liarsdice_projector;
REVOKE INSERT ON liarsdice.log_leaves, liarsdice.log_nodes, liarsdice.checkpoints, liarsdice.log_openings, liarsdice.log_keys
    FROM liarsdice_projector;
GRANT SELECT ON liarsdice.log_head, liarsdice.log_leaves, liarsdice.log_nodes, liarsdice.checkpoints,
    liarsdice.log_openings, liarsdice.log_keys TO liarsdice_log;
GRANT UPDATE (size) ON liarsdice.log_head TO liarsdice_log;
GRANT INSERT ON liarsdice.log_leaves, liarsdice.log_nodes, liarsdice.checkpoints, liarsdice.log_openings, liarsdice.log_keys
    TO liarsdice_log;

-- The game service notes which keys seal, and does not have to own the store for that. It can't touch the other settings.
ALTER TABLE liarsdice.settings ENABLE ROW LEVEL SECURITY;
CREATE POLICY readable ON liarsdice.settings FOR SELECT USING (true);
CREATE POLICY first_key ON liarsdice.settings FOR INSERT TO liarsdice_appender WITH CHECK (name = 'sealing_key_ids');
CREATE POLICY another_key ON liarsdice.settings FOR UPDATE TO liarsdice_appender USING (name = 'sealing_key_ids');
GRANT INSERT, UPDATE (value) ON liarsdice.settings TO liarsdice_appender;
