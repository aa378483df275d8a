-- The steps of games that are over.

CREATE TABLE {schema}.replays (
    game_id text PRIMARY KEY,
    events integer NOT NULL,
    steps bytea NOT NULL
);
