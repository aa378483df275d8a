/** A game as far as it has been followed: its table, its chains, and who still has dice. */

/** @import {Bytes} from "./bytes.js" */
/** @import {Book} from "./books.js" */
/** @import {RaiseRule} from "./bids.js" */
/** @import {Chains} from "./chains.js" */
/** @import {Chips} from "./chips.js" */
/** @import {Course} from "./course.js" */
/** @import {Deals} from "./deals.js" */
/** @import {RoundReport, TimeOutReport} from "./report.js" */
import { expectFields } from "./course.js";

/**
 * @typedef {object} Player
 * @property {string} playerId
 * @property {string} name
 * @property {"human" | "bot"} kind
 * @property {string} anchor in base64
 * @property {"player" | "server"} chainHeldBy
 * @property {Bytes | null} signingKey
 */

/**
 * @typedef {object} Options
 * @property {boolean} chips
 * @property {boolean} wild_aces
 * @property {RaiseRule} raise_rule
 * @property {number} dice_each
 * @property {number | null} opener
 * @property {number | null} turn_seconds
 * @property {"forfeit" | "challenge" | "lowest_bid"} on_timeout
 */

/**
 * @typedef {object} Game
 * @property {Course} course
 * @property {string} rulebook
 * @property {Book} book
 * @property {Options} options
 * @property {Player[]} players
 * @property {number[]} dice how many each seat has
 * @property {Chips | null} chips
 * @property {Chains} chains
 * @property {Deals} deals
 * @property {number} diceProven how many dice were computed again
 * @property {number} clockStart since when the game waits for the next move, in milliseconds since 1970
 * @property {TimeOutReport[]} timeOuts the turns that are said to have timed out
 * @property {number[][]} out the seats that went out, in that order; those of one round together
 * @property {RoundReport[]} rounds
 * @property {number[][] | null} places in the end, best first
 * @property {string | null} abandoned why the game was ended without a winner
 */

/** @typedef {{opener: number, palafico: boolean}} Opening how a round opens */

/** The seats that have dice. @param {Game} game */
export function inPlay({ dice }) {
  return dice.flatMap((count, seat) => (count > 0 ? [seat] : []));
}

/** The next seat to the left that has dice. @param {Game} game @param {number} seat */
export function leftOf({ dice }, seat) {
  let left = (seat + 1) % dice.length;
  while (dice[left] === 0) left = (left + 1) % dice.length;
  return left;
}

/** Seats are out: those that went out together share the place. @param {Game} game @param {number[]} seats */
export function eliminate(game, seats) {
  if (seats.length === 0) return;
  game.out.push(seats);
  expectFields(game.course.take("players-eliminated"), { seats, place: inPlay(game).length + 1 }, "outcome");
}

/** The game is ended without a winner (R17). @param {Game} game */
export function abandon(game) {
  game.abandoned = game.course.take("game-abandoned").fields.reason;
}
