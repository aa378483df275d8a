-- The roles that may touch the store, and the settings that were fixed when it was created.
-- Roles belong to the whole server, so another database on it, or its operator, may have made them already.
-- The login that runs this must be able to act as each of them; a login that may create roles grants them to itself.

DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['liarsdice_appender', 'liarsdice_projector', 'liarsdice_reader'] LOOP
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

CREATE TABLE liarsdice.settings (
    name text PRIMARY KEY,
    value text NOT NULL
);

GRANT USAGE ON SCHEMA liarsdice TO liarsdice_appender, liarsdice_projector, liarsdice_reader;
GRANT SELECT ON liarsdice.settings, liarsdice.migrations TO liarsdice_appender, liarsdice_projector, liarsdice_reader;

-- Nobody may change or remove what was appended.
CREATE FUNCTION liarsdice.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on %.% is refused: the store is append-only', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END
$$;
