-- The steps of ended games. They are not compressed, because a replay is read as a whole, and often.

CREATE TABLE {schema}.replays (
    game_id text PRIMARY KEY,
    owner_id text,
    private boolean NOT NULL,
    shown_at bigint NOT NULL,
    player_ids text[] NOT NULL,
    steps integer NOT NULL,
    events bytea NOT NULL,
    digests bytea NOT NULL,
    odds bytea NOT NULL
);
ALTER TABLE {schema}.replays ALTER events SET STORAGE EXTERNAL, ALTER digests SET STORAGE EXTERNAL, ALTER odds SET STORAGE EXTERNAL;
