-- for each lane
-- The server counts the tables of a player that are not over whenever the player sets up another one.

CREATE INDEX lobby_owner_id_idx ON {lane}.lobby (owner_id) WHERE phase <> 'ended';
