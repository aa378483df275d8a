-- Read models: the generations of each, which generation answers, and how far each has come in every lane.
-- The tables of a generation are in their own schema, `<name>_v<version>_g<generation>`; readers use views in
-- `<name>_v<version>`, which one transaction switches to another generation.

CREATE TABLE liarsdice.generations (
    name text NOT NULL,
    version integer NOT NULL,
    generation integer NOT NULL,
    state text NOT NULL CHECK (state IN ('building', 'live', 'retired')),
    begun_at timestamptz NOT NULL DEFAULT now(),
    live_since timestamptz,
    PRIMARY KEY (name, version, generation)
);
CREATE UNIQUE INDEX ON liarsdice.generations (name, version, state) WHERE state <> 'retired';

-- The transaction that writes data from events also moves the position past those events, and locks its row for that.
CREATE TABLE liarsdice.model_positions (
    name text NOT NULL,
    version integer NOT NULL,
    generation integer NOT NULL,
    lane integer NOT NULL,
    position bigint NOT NULL DEFAULT 0,
    fault_position bigint,
    fault_game text,
    fault text,
    fault_since timestamptz,
    PRIMARY KEY (name, version, generation, lane),
    FOREIGN KEY (name, version, generation) REFERENCES liarsdice.generations ON DELETE CASCADE
);

GRANT SELECT ON liarsdice.generations, liarsdice.model_positions
    TO liarsdice_appender, liarsdice_projector, liarsdice_reader;
GRANT UPDATE (position, fault_position, fault_game, fault, fault_since) ON liarsdice.model_positions
    TO liarsdice_projector;
