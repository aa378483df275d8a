/** The state of the page of one table. */

/** @import {App} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
/** @import {Findings, Game, GameEvent} from "../../client/messages/types.js" */
/** @import {Moves} from "./moves.js" */
/** @import {Playback} from "./playback.js" */
/** @import {Reveal} from "./reveal.js" */

/** What is picked for the next bid: the least quantity of numbers, that of wilds on a track, and which of the player's hidden dice are shown.
 * @typedef {{quantity: number, wild: number, show: number[]}} Choice */
/** A doubt that is set in advance: of a bid on at least so many, on this face or on any. @typedef {{quantity: number, face: number | null}} Doubt */
/** A move on its way to the server. @typedef {{name: "bid" | "challenge" | "show" | "roll" | "forfeit" | "bot" | "start" | "leave" | "rematch", quantity?: number, face?: number}} Pending */

/**
 * @typedef {object} TableState
 * @property {Game | null} game as it is shown; news may wait behind a challenge that is being told
 * @property {GameEvent[]} events all that was shown
 * @property {boolean} caughtUp whether nothing waits to be shown
 * @property {Reveal | null} reveal the challenge that is being told
 * @property {Findings | null} proven
 * @property {number} provenDice how many dice the last lifting of cups has added
 * @property {string} rematchId
 * @property {boolean} connected
 * @property {Problem | null} problem what ended the page
 * @property {Choice} choice
 * @property {Doubt | null} doubt
 * @property {Doubt} wish what the fields of the next doubt say
 * @property {string} line what is typed
 * @property {Pending | null} pending
 * @property {"keys" | "forfeit" | "leave" | null} dialog
 * @property {number} now
 * @property {number} skew how far the clock of this machine is ahead of the server's
 * @property {boolean} copied whether the invitation was copied
 * @property {Moves | null} moves
 * @property {Playback | null} playback
 */

/** @typedef {App<TableState>} TableApp */

/** @type {Choice} */
export const NOTHING_CHOSEN = { quantity: 0, wild: 0, show: [] };

/** @type {TableState} */
export const INITIAL = {
  game: null,
  events: [],
  caughtUp: true,
  reveal: null,
  proven: null,
  provenDice: 0,
  rematchId: "",
  connected: true,
  problem: null,
  choice: NOTHING_CHOSEN,
  doubt: null,
  wish: { quantity: 0, face: null },
  line: "",
  pending: null,
  dialog: null,
  now: 0,
  skew: 0,
  copied: false,
  moves: null,
  playback: null,
};
