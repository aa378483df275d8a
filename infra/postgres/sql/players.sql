-- add_player: Note a new player.
INSERT INTO liarsdice.players (player_id, name) VALUES ($1, $2) ON CONFLICT (player_id) DO NOTHING

-- add_token: Note the hash of a new token.
INSERT INTO liarsdice.tokens (token_hash, player_id, scopes) VALUES ($1, $2, $3)

-- find_token: The player that a token belongs to, unless it is revoked.
SELECT token.player_id, player.name, token.scopes
FROM liarsdice.tokens AS token JOIN liarsdice.players AS player USING (player_id)
WHERE token.token_hash = $1 AND token.revoked_at IS NULL

-- revoke_token: Revoke one token; returns no row if it was revoked already.
UPDATE liarsdice.tokens SET revoked_at = now() WHERE token_hash = $1 AND revoked_at IS NULL RETURNING token_hash

-- revoke_tokens: Revoke all tokens of a player.
UPDATE liarsdice.tokens SET revoked_at = now() WHERE player_id = $1 AND revoked_at IS NULL
