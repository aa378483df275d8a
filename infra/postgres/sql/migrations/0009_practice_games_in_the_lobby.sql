-- for each lane
-- The list shows which games are practice games, and which past game each of them is forked from.

ALTER TABLE {lane}.lobby ADD COLUMN forked_from text;
