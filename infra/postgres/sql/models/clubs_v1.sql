-- Clubs, and the spans of time in which players were their members. Which games count in a club follows from these spans
-- and from the seats of games when somebody reads (sql/clubs.sql).

CREATE TABLE {schema}.clubs (
    club_id text PRIMARY KEY,
    name text NOT NULL,
    organiser_id text NOT NULL,
    founded_at bigint NOT NULL,
    members integer NOT NULL
);

CREATE TABLE {schema}.members (
    club_id text NOT NULL,
    number integer NOT NULL,
    player_id text NOT NULL,
    joined_at bigint NOT NULL,
    left_at bigint,
    PRIMARY KEY (club_id, number)
);
CREATE INDEX ON {schema}.members (player_id) WHERE left_at IS NULL;
