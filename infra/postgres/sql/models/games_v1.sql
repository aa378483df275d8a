-- All games, as lists show them, and their players by seat.

CREATE TABLE {schema}.games (
    game_id text PRIMARY KEY,
    created_at bigint NOT NULL,
    ended_at bigint,
    rulebook text NOT NULL,
    result text NOT NULL,
    owner_id text,
    private boolean NOT NULL,
    practice boolean NOT NULL,
    shown_at bigint,
    player_ids text[] NOT NULL,
    listing bytea NOT NULL
);
CREATE INDEX ON {schema}.games (created_at DESC, game_id DESC);
CREATE INDEX ON {schema}.games (rulebook, created_at DESC, game_id DESC);
CREATE INDEX ON {schema}.games USING gin (player_ids);

CREATE TABLE {schema}.seats (
    game_id text NOT NULL,
    seat integer NOT NULL,
    player_id text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    joined_at bigint NOT NULL,
    PRIMARY KEY (game_id, seat)
);
CREATE INDEX ON {schema}.seats (player_id, joined_at DESC);
CREATE INDEX ON {schema}.seats (lower(name) text_pattern_ops, player_id);
