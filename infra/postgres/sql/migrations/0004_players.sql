-- The players, and the tokens that identify them. Only the hash of a token is stored.

CREATE TABLE liarsdice.players (
    player_id text PRIMARY KEY,
    name text NOT NULL,
    registered_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE liarsdice.tokens (
    token_hash bytea PRIMARY KEY,
    player_id text NOT NULL REFERENCES liarsdice.players,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);
CREATE INDEX tokens_player_id_idx ON liarsdice.tokens (player_id);

GRANT SELECT, INSERT ON liarsdice.players, liarsdice.tokens TO liarsdice_appender;
GRANT UPDATE (revoked_at) ON liarsdice.tokens TO liarsdice_appender;
