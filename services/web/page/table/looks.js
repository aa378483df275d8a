/** How the table looks for each book. This is the one place of the page that asks for the name of a book. */

/** @import {GameView, Hand} from "../../client/messages/types.js" */

/**
 * @typedef {object} Look
 * @property {boolean} track whether bids move along a track
 * @property {"doubt" | "liar" | "challenge"} challenge the word with which a bid is doubted
 * @property {boolean} wild whether face 1 counts towards every face; an option may make it so
 */

/** @type {Record<string, Look>} */
const LOOKS = {
  "bidding-track": { track: true, challenge: "challenge", wild: true },
  "single-hand": { track: false, challenge: "doubt", wild: false },
  pirates: { track: false, challenge: "liar", wild: true },
  "prediction-track": { track: true, challenge: "challenge", wild: true },
  palafico: { track: false, challenge: "doubt", wild: true },
};
/** @type {Look} */
const PLAIN = { track: false, challenge: "doubt", wild: true };

export const WILD = 1;

/** @param {string} rulebook @returns {Look} */
export function lookOf(rulebook) {
  return LOOKS[rulebook] ?? PLAIN;
}

/** Whether face 1 counts towards other faces in the running round. @param {GameView} view @param {boolean} [palafico] */
export function isWild({ rulebook, options, round }, palafico = round?.palafico ?? false) {
  return (lookOf(rulebook).wild || options.wildAces) && !palafico;
}

/** How a die counts towards a bid on a face. @param {number} die @param {number} face @param {boolean} wild @returns {"counted" | "wild" | null} */
export function countsAs(die, face, wild) {
  if (die === face) return "counted";
  return wild && die === WILD ? "wild" : null;
}

/** How many dice of a hand count towards a bid on a face. @param {Hand} hand @param {number} face @param {boolean} wild */
export function countIn(hand, face, wild) {
  return hand.filter((die) => countsAs(die, face, wild) !== null).length;
}

/** All dice that are in play. @param {GameView} view */
export function diceInPlay(view) {
  return view.seats.reduce((sum, { diceCount }) => sum + diceCount, 0);
}

/** The bid that stands. @param {GameView} view */
export function standingBid(view) {
  return view.bids.at(-1) ?? null;
}

/** Whether the game waits for a bid or a doubt of the one who looks. @param {GameView} view */
export function isOwnTurn(view) {
  return view.phase === "bidding" && view.viewer !== null && view.waiting.includes(view.viewer);
}
