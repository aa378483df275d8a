-- The roles that may touch the store, and the settings that were fixed when it was created.
-- Roles belong to the whole server, so another database on it may have made them already.

DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['liarsdice_appender', 'liarsdice_projector', 'liarsdice_reader'] LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END LOOP;
END
$$;

CREATE TABLE liarsdice.settings (
    name text PRIMARY KEY,
    value text NOT NULL
);

GRANT USAGE ON SCHEMA liarsdice TO liarsdice_appender, liarsdice_projector, liarsdice_reader;
GRANT SELECT ON liarsdice.settings, liarsdice.migrations TO liarsdice_appender, liarsdice_projector, liarsdice_reader;

-- What was appended is never changed or removed, whoever tries.
CREATE FUNCTION liarsdice.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on %.% is refused: the store is append-only', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END
$$;
