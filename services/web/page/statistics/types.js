/** What the server tells about players under `/api/v1`; docs/reference/statistics.md defines every field. */

/** @typedef {{count: number, out_of: number, rate: number | null, low: number | null, high: number | null}} Rate */
/** @typedef {{count: number, mean: number | null, low: number | null, high: number | null}} Mean */
/** @typedef {{count: number, expected: number, actual: number, low: number, high: number}} Expectation */
/** @typedef {{mu: number, sigma: number, ordinal: number, games: number}} Rating */
/** @typedef {{at: number, game_id: string, rating: Rating}} RatingPoint */
/** @typedef {"human" | "bot"} Kind */
/** @typedef {{player_id: string, name: string, kind: Kind, games: number}} Person `games` are public tables */

/**
 * @typedef {object} Statistics
 * @property {string} player_id
 * @property {string | null} name
 * @property {Kind | null} kind
 * @property {number} ended_games
 * @property {number} practice_games
 * @property {number} abandoned_games
 * @property {number} private_games
 * @property {number} games
 * @property {number} rounds
 * @property {Rate} wins
 * @property {number} expected_wins
 * @property {{place: number, games: number}[]} places
 * @property {Rate} forfeits
 * @property {Rating | null} rating
 * @property {Rate} challenges_won
 * @property {Rate} bids_held
 * @property {Rate} exact_bids
 * @property {Rate} bluffs
 * @property {Rate} bluffs_challenged
 * @property {Rate} bluffs_caught
 * @property {Mean} risk
 * @property {Rate} best_decisions
 * @property {Mean} regret
 * @property {{low: number, high: number, chance: number | null, held: Rate}[]} calibration
 * @property {Mean} brier
 * @property {Mean} reroll_gain
 * @property {Expectation} challenge_outcomes
 * @property {Expectation} dice_luck
 * @property {Mean} move_seconds
 * @property {{below_milliseconds: number | null, moves: number}[]} move_times
 * @property {number} clock_moves
 * @property {Freshness} [freshness]
 */

/** @import {Freshness} from "../shell/freshness.js" */
/** @typedef {{group: string, at: number | null, regret: Mean, doubts: Rate, dice_luck: Expectation | null}} Group what the page shows of it */
/** @typedef {{dice: Group[], doubts: Group[], games: Group[], gamesMore: boolean}} Groups `games` the oldest first */
/** @typedef {{quantity: number, face: number}} Bid */
/** @typedef {{game_id: string, version: number, at: number, seat: number, rulebook: string, action: "bid" | "challenge", bid: Bid | null, standing: Bid | null, own_dice: number, dice_left: number,
 * chance: number, regret: number, best_action: "bid" | "challenge", best_bid: Bid | null, best_chance: number}} PlayerDecision */
/** @typedef {{position: number, player_id: string, name: string, kind: Kind, games: number, count: number, value: number, low: number | null, high: number | null}} Entry of a leaderboard */
/** @typedef {"rating" | "wins" | "challenges" | "bids" | "decisions" | "games"} Measure */
/** @typedef {{games: number, ahead: Rate, level: number, behind: number, challenges_won: Rate, bids_held: Rate}} Meeting two players at the same tables, from the side of one */
/** @typedef {{seat: number, player_id: string, name: string, kind: Kind}} Seat */
/** @typedef {{game_id: string, rulebook: string, result: string, created_at: number, ended_at: number | null, seats: Seat[], winner: number | null, places: number[][] | null, rounds: number, private: boolean}} Listing of a game */

export {};
