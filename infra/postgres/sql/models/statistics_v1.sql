-- What every ended game says about each seat: whole numbers that add up, chances in billionths, times in milliseconds
-- (domain/statistics/facts.py). A rating belongs to a player, a ladder and a game; the ladder '' is for all books together.

CREATE TABLE {schema}.seats (
    game_id text NOT NULL,
    seat integer NOT NULL,
    player_id text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    rulebook text NOT NULL,
    played text NOT NULL,
    private boolean NOT NULL,
    ended_at bigint NOT NULL,
    shown_at bigint NOT NULL,
    players integer NOT NULL,
    place integer,
    rounds bigint NOT NULL,
    forfeits bigint NOT NULL,
    clock_moves bigint NOT NULL,
    decisions bigint NOT NULL,
    best_decisions bigint NOT NULL,
    regret bigint NOT NULL,
    regret_squares bigint NOT NULL,
    bids bigint NOT NULL,
    risk bigint NOT NULL,
    risk_squares bigint NOT NULL,
    bluffs bigint NOT NULL,
    bluffs_challenged bigint NOT NULL,
    bluffs_caught bigint NOT NULL,
    challenges bigint NOT NULL,
    challenges_won bigint NOT NULL,
    challenged bigint NOT NULL,
    held bigint NOT NULL,
    exact bigint NOT NULL,
    brier bigint NOT NULL,
    brier_squares bigint NOT NULL,
    party_expected bigint NOT NULL,
    party_variance bigint NOT NULL,
    rerolls bigint NOT NULL,
    gain bigint NOT NULL,
    gain_squares bigint NOT NULL,
    hands bigint NOT NULL,
    strength bigint NOT NULL,
    strength_expected bigint NOT NULL,
    strength_variance bigint NOT NULL,
    time bigint NOT NULL,
    time_squares bigint NOT NULL,
    calibration_bids bigint[] NOT NULL,
    calibration_held bigint[] NOT NULL,
    calibration_chance bigint[] NOT NULL,
    times bigint[] NOT NULL,
    against bigint[] NOT NULL,
    against_won bigint[] NOT NULL,
    PRIMARY KEY (game_id, seat)
);
CREATE INDEX ON {schema}.seats (player_id, ended_at);
CREATE INDEX ON {schema}.seats (played, ended_at);

-- Games that count for ratings. A game is settled once its ratings are computed.
CREATE TABLE {schema}.rated_games (
    game_id text COLLATE "C" PRIMARY KEY,
    shown_at bigint NOT NULL,
    rulebook text NOT NULL,
    player_ids text[] NOT NULL,
    kinds text[] NOT NULL,
    places integer[] NOT NULL,
    settled boolean NOT NULL
);
CREATE INDEX ON {schema}.rated_games (shown_at, game_id) WHERE NOT settled;

-- The rating of a player after a game. It is the one to show from shown_at until superseded_at.
CREATE TABLE {schema}.ratings (
    ladder text NOT NULL,
    player_id text NOT NULL,
    shown_at bigint NOT NULL,
    game_id text COLLATE "C" NOT NULL,
    superseded_at bigint NOT NULL,
    kind text NOT NULL,
    games bigint NOT NULL,
    mu double precision NOT NULL,
    sigma double precision NOT NULL,
    PRIMARY KEY (ladder, player_id, shown_at, game_id)
);
CREATE INDEX ON {schema}.ratings (game_id);
CREATE INDEX ON {schema}.ratings (ladder, superseded_at);
