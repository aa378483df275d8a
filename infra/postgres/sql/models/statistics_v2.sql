-- What every ended game says about each seat: whole numbers that add up, chances in billionths, times in milliseconds
-- (domain/statistics/facts.py). A player is the one that counts: all bots of the server with one strategy are one player.

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
    against bigint[] NOT NULL,
    against_won bigint[] NOT NULL,
    challenged_by bigint[] NOT NULL,
    held_against bigint[] NOT NULL,
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
    faced bigint NOT NULL,
    challenges bigint NOT NULL,
    challenges_won bigint NOT NULL,
    challenged bigint NOT NULL,
    held bigint NOT NULL,
    exact bigint NOT NULL,
    promised bigint NOT NULL,
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
    PRIMARY KEY (game_id, seat)
);
CREATE INDEX ON {schema}.seats (player_id, ended_at DESC, game_id DESC);
CREATE INDEX ON {schema}.seats (player_id, shown_at);
CREATE INDEX ON {schema}.seats (ended_at);
CREATE INDEX ON {schema}.seats (shown_at);

-- Every decision of every ended game (domain/statistics/decisions.py). Chances fit into four bytes, and sums of such numbers
-- are quick.
CREATE TABLE {schema}.decisions (
    game_id text NOT NULL,
    version integer NOT NULL,
    seat integer NOT NULL,
    player_id text NOT NULL,
    kind text NOT NULL,
    rulebook text NOT NULL,
    played text NOT NULL,
    private boolean NOT NULL,
    ended_at bigint NOT NULL,
    shown_at bigint NOT NULL,
    at bigint NOT NULL,
    round integer NOT NULL,
    action text NOT NULL,
    quantity integer,
    face integer,
    standing_quantity integer,
    standing_face integer,
    hidden smallint[] NOT NULL,
    shown smallint[] NOT NULL,
    own_dice integer NOT NULL,
    dice_left integer NOT NULL,
    players_left integer NOT NULL,
    opened boolean NOT NULL,
    phase integer NOT NULL,
    chance integer NOT NULL,
    standing_chance integer,
    best_chance integer NOT NULL,
    best_quantity integer,
    best_face integer,
    regret integer NOT NULL,
    bluff boolean NOT NULL,
    took integer NOT NULL,
    challenged_by integer,
    challenged_by_clock boolean NOT NULL,
    final_chance integer,
    won boolean,
    exact boolean NOT NULL,
    challenged integer,
    time_bin smallint NOT NULL,
    bid_decile smallint,
    standing_decile smallint,
    final_decile smallint,
    PRIMARY KEY (game_id, version)
);
CREATE INDEX ON {schema}.decisions (player_id, ended_at DESC, game_id DESC, version DESC);
CREATE INDEX ON {schema}.decisions (player_id, regret DESC, ended_at DESC, game_id DESC, version DESC);

-- The course of every ended game (domain/statistics/course.py).
CREATE TABLE {schema}.courses (
    game_id text PRIMARY KEY,
    rulebook text NOT NULL,
    played text NOT NULL,
    private boolean NOT NULL,
    ended_at bigint NOT NULL,
    shown_at bigint NOT NULL,
    players integer NOT NULL,
    rounds bigint NOT NULL,
    rounds_squares bigint NOT NULL,
    moves bigint NOT NULL,
    moves_squares bigint NOT NULL,
    time bigint NOT NULL,
    time_squares bigint NOT NULL,
    won bigint NOT NULL,
    opener_wins bigint NOT NULL,
    opener_expected bigint NOT NULL,
    challenges bigint NOT NULL,
    opener_rounds_won bigint NOT NULL,
    opener_rounds_expected bigint NOT NULL
);
CREATE INDEX ON {schema}.courses (ended_at);
CREATE INDEX ON {schema}.courses (shown_at);

-- Seats of games that are not in the sums yet, because not everybody may know their ends, or because they are new.
CREATE TABLE {schema}.waiting (
    game_id text NOT NULL,
    seat integer NOT NULL,
    player_id text NOT NULL,
    ended_at bigint NOT NULL,
    shown_at bigint NOT NULL,
    PRIMARY KEY (game_id, seat)
);
CREATE INDEX ON {schema}.waiting (player_id);
CREATE INDEX ON {schema}.waiting (shown_at, game_id) WHERE seat = 0;

-- Sums over the games that everybody may know. A group is a key of a dimension; the dimension '' has one group with all of a
-- player's games. The day counts from 1970, and -1 stands for all days together.
CREATE TABLE {schema}.sums (
    player_id text NOT NULL,
    dimension text NOT NULL,
    day integer NOT NULL,
    key integer NOT NULL,
    rulebook text NOT NULL,
    played text NOT NULL,
    private boolean NOT NULL,
    games bigint NOT NULL,
    placed bigint NOT NULL,
    won bigint NOT NULL,
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
    faced bigint NOT NULL,
    challenges bigint NOT NULL,
    challenges_won bigint NOT NULL,
    challenged bigint NOT NULL,
    held bigint NOT NULL,
    exact bigint NOT NULL,
    promised bigint NOT NULL,
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
    time_squares numeric NOT NULL,
    PRIMARY KEY (player_id, dimension, day, key, rulebook, played, private)
);
CREATE INDEX ON {schema}.sums (day) WHERE dimension = '' AND day >= 0;

-- Sums over the games of two players at one table, for each of them as the first.
CREATE TABLE {schema}.pairs (
    player_id text NOT NULL,
    other_id text NOT NULL,
    day integer NOT NULL,
    rulebook text NOT NULL,
    played text NOT NULL,
    private boolean NOT NULL,
    games bigint NOT NULL,
    ahead bigint NOT NULL,
    level bigint NOT NULL,
    behind bigint NOT NULL,
    challenges bigint NOT NULL,
    challenges_won bigint NOT NULL,
    challenged bigint NOT NULL,
    held bigint NOT NULL,
    PRIMARY KEY (player_id, other_id, day, rulebook, played, private)
);

-- Sums over the courses of public games by the number of players.
CREATE TABLE {schema}.course_sums (
    day integer NOT NULL,
    rulebook text NOT NULL,
    played text NOT NULL,
    players integer NOT NULL,
    games bigint NOT NULL,
    rounds bigint NOT NULL,
    rounds_squares bigint NOT NULL,
    moves bigint NOT NULL,
    moves_squares bigint NOT NULL,
    time bigint NOT NULL,
    time_squares numeric NOT NULL,
    won bigint NOT NULL,
    opener_wins bigint NOT NULL,
    opener_expected bigint NOT NULL,
    challenges bigint NOT NULL,
    opener_rounds_won bigint NOT NULL,
    opener_rounds_expected bigint NOT NULL,
    PRIMARY KEY (day, rulebook, played, players)
);

-- What leaderboards rank by: public games of all time, for each book and, under the book '', for all books. A rate ranks by
-- the low end of its Wilson interval, so that a player who was lucky in a few games does not lead.
CREATE TABLE {schema}.standings (
    player_id text NOT NULL,
    rulebook text NOT NULL,
    played text NOT NULL,
    games bigint NOT NULL,
    placed bigint NOT NULL,
    won bigint NOT NULL,
    challenges bigint NOT NULL,
    challenges_won bigint NOT NULL,
    challenged bigint NOT NULL,
    held bigint NOT NULL,
    decisions bigint NOT NULL,
    best_decisions bigint NOT NULL,
    low_wins double precision GENERATED ALWAYS AS (
        (won::double precision / nullif(placed, 0) + 1.9207294103470618 / nullif(placed, 0) - sqrt(3.8414588206941236 / nullif(placed, 0)
        * (won::double precision / nullif(placed, 0) * (1 - won::double precision / nullif(placed, 0))
        + 0.9603647051735309 / nullif(placed, 0)))) / (1 + 3.8414588206941236 / nullif(placed, 0))
    ) STORED,
    low_challenges double precision GENERATED ALWAYS AS (
        (challenges_won::double precision / nullif(challenges, 0) + 1.9207294103470618 / nullif(challenges, 0) - sqrt(3.8414588206941236 / nullif(challenges, 0)
        * (challenges_won::double precision / nullif(challenges, 0) * (1 - challenges_won::double precision / nullif(challenges, 0))
        + 0.9603647051735309 / nullif(challenges, 0)))) / (1 + 3.8414588206941236 / nullif(challenges, 0))
    ) STORED,
    low_bids double precision GENERATED ALWAYS AS (
        (held::double precision / nullif(challenged, 0) + 1.9207294103470618 / nullif(challenged, 0) - sqrt(3.8414588206941236 / nullif(challenged, 0)
        * (held::double precision / nullif(challenged, 0) * (1 - held::double precision / nullif(challenged, 0))
        + 0.9603647051735309 / nullif(challenged, 0)))) / (1 + 3.8414588206941236 / nullif(challenged, 0))
    ) STORED,
    low_decisions double precision GENERATED ALWAYS AS (
        (best_decisions::double precision / nullif(decisions, 0) + 1.9207294103470618 / nullif(decisions, 0) - sqrt(3.8414588206941236 / nullif(decisions, 0)
        * (best_decisions::double precision / nullif(decisions, 0) * (1 - best_decisions::double precision / nullif(decisions, 0))
        + 0.9603647051735309 / nullif(decisions, 0)))) / (1 + 3.8414588206941236 / nullif(decisions, 0))
    ) STORED,
    PRIMARY KEY (player_id, rulebook, played)
);
CREATE INDEX ON {schema}.standings (rulebook, played, games DESC, player_id);
CREATE INDEX ON {schema}.standings (rulebook, played, low_wins DESC, games DESC, player_id) WHERE placed > 0;
CREATE INDEX ON {schema}.standings (rulebook, played, low_challenges DESC, games DESC, player_id) WHERE challenges > 0;
CREATE INDEX ON {schema}.standings (rulebook, played, low_bids DESC, games DESC, player_id) WHERE challenged > 0;
CREATE INDEX ON {schema}.standings (rulebook, played, low_decisions DESC, games DESC, player_id) WHERE decisions > 0;

-- Everybody with a public game that everybody may know, with the name and kind of the newest of these games.
CREATE TABLE {schema}.people (
    player_id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    kind text NOT NULL,
    games bigint NOT NULL,
    ended_at bigint NOT NULL,
    game_id text COLLATE "C" NOT NULL,
    known_from bigint NOT NULL,
    lower_name text COLLATE "C" NOT NULL
);
CREATE INDEX ON {schema}.people (lower_name, player_id);
CREATE INDEX ON {schema}.people (player_id) WHERE kind = 'bot';

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
-- The ratings that nothing has superseded yet, in the order of a leaderboard.
CREATE INDEX ON {schema}.ratings (ladder, (mu - 3 * sigma) DESC, player_id) WHERE superseded_at = 9223372036854775807;
