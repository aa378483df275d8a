-- When a read model last had everything of a lane: every event that was committed before this time is in it.
-- NULL until it has caught up for the first time.

ALTER TABLE liarsdice.model_positions ADD COLUMN caught_up_at timestamptz;
GRANT UPDATE (caught_up_at) ON liarsdice.model_positions TO liarsdice_projector;
