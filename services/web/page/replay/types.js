/** What `/api/v1` tells about a game, with the names it has there. What the reader may not see is null. */

/** @typedef {{seats: (number | null)[], public: number}} Odds the chance that the standing bid holds: as each seat saw it, and as everybody did */
/** @typedef {{type: string, at: number} & Record<string, any>} HappenedEvent */
/** @typedef {{version: number, event: HappenedEvent, digest: string | null, odds: Odds | null}} Step */
/** @typedef {{version: number, chance: number, regret: number, best_action: "bid" | "challenge", best_bid: {quantity: number, face: number} | null, best_chance: number}} Weighed a decision beside the best one */
/** @typedef {{seat: number, quantity: number, face: number}} PlacedBid */
/** @typedef {{seat: number, penalty: number, lost: number}} Loss */
/** @typedef {{bid: PlacedBid, challenger: number, actual: number, winner: number, losses: Loss[]}} Settlement */
/** @typedef {{number: number, dice: number[][], settlement: Settlement | null}} Reveal */
/** @typedef {{number: number, opener: number, palafico: boolean}} Round */
/** @typedef {"gathering" | "choosing_opener" | "rolling" | "bidding" | "settling" | "ended"} Phase */

/**
 * @typedef {object} SeatView
 * @property {number} seat
 * @property {string} player_id
 * @property {string} name
 * @property {"human" | "bot"} kind
 * @property {string} chain_held_by
 * @property {number} dice_count
 * @property {number} hidden_count
 * @property {number[] | null} hidden
 * @property {number[]} shown
 * @property {number | null} chips
 * @property {boolean} out
 */

/**
 * The table after a step, as `/games/{id}/steps/{n}` tells it, without the moves that were possible.
 * @typedef {object} GameView
 * @property {number | null} viewer
 * @property {string} game_id
 * @property {string} rulebook
 * @property {number} rulebook_version
 * @property {Record<string, any>} options
 * @property {string} wild_name
 * @property {Phase} phase
 * @property {SeatView[]} seats
 * @property {Round | null} round
 * @property {PlacedBid[]} bids
 * @property {number[]} waiting
 * @property {number | null} since
 * @property {boolean} rerolled
 * @property {number} round_pot
 * @property {number} game_pot
 * @property {Reveal | null} last_round
 * @property {number | null} winner
 * @property {number[][]} places
 * @property {string | null} abandoned
 */

/**
 * @typedef {object} Listing a game as lists show it
 * @property {string} game_id
 * @property {string} rulebook
 * @property {"gathering" | "running" | "ended" | "abandoned"} result
 * @property {number} created_at
 * @property {number | null} started_at
 * @property {number | null} ended_at
 * @property {{seat: number, player_id: string, name: string, kind: "human" | "bot"}[]} seats
 * @property {number} seats_max
 * @property {number | null} winner
 * @property {number[][]} places
 * @property {number | null} rounds
 * @property {number | null} events
 * @property {boolean} private
 * @property {number} spectator_delay_seconds
 * @property {string | null} rematch_of
 * @property {string | null} forked_from
 * @property {number | null} forked_version
 */

/** @typedef {{id: string, title: string, wild_name: string}} Book */

/** Through whose eyes: a seat's, a spectator's, or those of somebody who looks under every cup that was lifted later. @typedef {number | "everything" | "spectator"} Eyes */

export {};
