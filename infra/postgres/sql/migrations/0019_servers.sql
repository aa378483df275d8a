-- The servers that share the lanes. Each says again and again that it is alive.

CREATE TABLE liarsdice.servers (
    server_id text PRIMARY KEY,
    until timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON liarsdice.servers TO liarsdice_projector;
