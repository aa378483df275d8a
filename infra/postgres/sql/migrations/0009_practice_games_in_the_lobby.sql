-- for each lane
-- The list tells which games are practice games, and of which past game each is a fork.

ALTER TABLE {lane}.lobby ADD COLUMN forked_from text;
