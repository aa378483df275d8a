-- for each lane
-- The tables of a lane as a list: people search in it, and the server finds the games in it that it must resume after a
-- restart. All of it can be computed from the events again.

CREATE TABLE {lane}.lobby (
    game_id text PRIMARY KEY,
    version bigint NOT NULL,
    created_at bigint NOT NULL,
    rulebook text NOT NULL,
    phase text NOT NULL,
    players text[] NOT NULL,
    player_ids text[] NOT NULL,
    seats_max integer NOT NULL,
    owner_id text NOT NULL,
    private boolean NOT NULL,
    turn_seconds integer,
    due_at bigint,
    server_to_move boolean NOT NULL
);
CREATE INDEX lobby_created_at_idx ON {lane}.lobby (created_at DESC, game_id DESC);
CREATE INDEX lobby_player_ids_idx ON {lane}.lobby USING gin (player_ids);
CREATE INDEX lobby_due_at_idx ON {lane}.lobby (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX lobby_server_to_move_idx ON {lane}.lobby (game_id) WHERE server_to_move;

GRANT SELECT ON {lane}.lobby TO liarsdice_appender, liarsdice_projector, liarsdice_reader;
GRANT INSERT, UPDATE ON {lane}.lobby TO liarsdice_projector;
