/** A move of a seat: the call that carries it out, and its request. */

/** @import {Bytes} from "../bytes.js" */
/** @import {Done, Game, Hand} from "../messages/types.js" */
/** @import {Course} from "../fairness/course.js" */

const QUANTITY_MAX = 1000;

/** The server refuses a move with this link, and its refusal gives the reason why the move is not possible. @type {Bytes} */
export const NO_LINK = new Uint8Array();

/** @typedef {{requestId: string, gameId: string, expectedVersion?: number, signature?: object}} Command */
/** @typedef {{shown: Hand, link: Bytes}} Reroll */
/** @typedef {{method: "Roll", request: Command & {link: Bytes}}} RollMove */
/** @typedef {{method: "PlaceBid", request: Command & {quantity: number, face: number, reroll?: Reroll}}} BidMove */
/** @typedef {{method: "ShowAndReroll", request: Command & {reroll: Reroll}}} RerollMove */
/** @typedef {{method: "Challenge", request: Command} | {method: "Forfeit", request: Command}} PlainMove */
/** @typedef {RollMove | BidMove | RerollMove | PlainMove} Move */
/** @typedef {(move: Move) => Promise<Done>} CarryOut sends a move to the server, and waits for what it did */

/** The reroll of a move; null if it has none. @param {Move} move @returns {Reroll | null} */
export function rerollOf({ method, request }) {
  return method === "PlaceBid" || method === "ShowAndReroll" ? (request.reroll ?? null) : null;
}

/**
 * Whether a reroll is worth its link: it isn't if the server has to refuse the move anyway.
 *
 * Which bids are high enough is the server's word, because this client has no rules of bidding. A server that lies about it
 * gains a link of this round, and then there is no other reroll in it.
 *
 * @param {Move} move @param {Game} game as it stands @param {Course} course the same by its events @param {number} seat
 */
export function isWorthItsLink(move, game, course, seat) {
  const { expectedVersion } = move.request;
  const { moves } = game.view;
  const shown = rerollOf(move)?.shown ?? [];
  const hidden = course.cups[seat]?.hidden ?? [];
  if (expectedVersion !== undefined && expectedVersion !== game.version) return false;
  if (course.stage !== "bidding" || shown.length < 1 || shown.length > moves.showMax) return false;
  if (shown.some((face) => countOf(face, shown) > countOf(face, hidden))) return false;
  if (move.method !== "PlaceBid") return moves.showNow;
  const { face, quantity } = move.request;
  const lowest = moves.lowestBids.find((bid) => bid.face === face);
  return lowest !== undefined && Number.isInteger(quantity) && quantity >= lowest.quantity && quantity <= QUANTITY_MAX;
}

/** @param {number} face @param {Hand} dice */
function countOf(face, dice) {
  return dice.filter((die) => die === face).length;
}
