-- The records of ended games, with exactly the bytes that readers get, and the same games as lines of CSV and as notation.
-- lane and position say where the last event of the game is in the store; exports go on from there.

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
    lane integer NOT NULL,
    position bigint NOT NULL,
    record bytea NOT NULL,
    csv bytea NOT NULL,
    notation bytea NOT NULL
);
-- These two are compressed already.
ALTER TABLE {schema}.records ALTER csv SET STORAGE EXTERNAL, ALTER notation SET STORAGE EXTERNAL;
CREATE INDEX ON {schema}.records (shown_at, game_id);
CREATE INDEX ON {schema}.records (rulebook, shown_at, game_id);
CREATE INDEX ON {schema}.records (lane, position) INCLUDE (shown_at);
CREATE INDEX ON {schema}.records USING gin (player_ids);
