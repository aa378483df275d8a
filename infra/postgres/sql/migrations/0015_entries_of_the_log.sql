-- Everybody may read the entries of the log, so new ones name no game. `form` says how the text of a leaf is written: 1 has
-- the game's id, 2 only hashes. A program of an older version, running beside a newer one, writes the first form.

ALTER TABLE liarsdice.log_leaves ADD COLUMN form smallint NOT NULL DEFAULT 1 CHECK (form IN (1, 2));

-- The published log ends at a checkpoint that is old enough.
CREATE INDEX ON liarsdice.checkpoints (made_at, number);
CREATE INDEX ON liarsdice.checkpoints (size, number);
