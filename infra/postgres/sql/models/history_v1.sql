-- The records of ended games, with exactly the bytes that readers get.

CREATE TABLE {schema}.records (
    game_id text PRIMARY KEY,
    created_at bigint NOT NULL,
    ended_at bigint NOT NULL,
    rulebook text NOT NULL,
    result text NOT NULL,
    owner_id text,
    private boolean NOT NULL,
    practice boolean NOT NULL,
    shown_at bigint NOT NULL,
    player_ids text[] NOT NULL,
    record bytea NOT NULL
);
CREATE INDEX ON {schema}.records (ended_at, game_id);
CREATE INDEX ON {schema}.records (rulebook, ended_at, game_id);
CREATE INDEX ON {schema}.records USING gin (player_ids);
