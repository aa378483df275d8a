/**
 * The keeper of seats' secrets. This one keeps them in memory; others keep them in a browser or in files.
 *
 * A secret is kept before anything that follows from it leaves this machine. So a program that ended in the middle of a game
 * finds its chain again, and knows how many links of it the server has.
 */

/** @import {Bytes} from "../bytes.js" */
import { fromBase64, toBase64 } from "../bytes.js";
import { LINK_LENGTH } from "../fairness/chain.js";

/**
 * The highest link that the client has sent, and what the server had said by then.
 * @typedef {object} Sent
 * @property {number} number
 * @property {number} version
 * @property {string} told a hash of all that matters to the dice, up to this version, in base64
 */

/**
 * The secrets of one seat.
 * @typedef {object} Kept
 * @property {string} server
 * @property {string} playerId
 * @property {string} gameId
 * @property {number} length how many links the chain has
 * @property {Bytes} seed
 * @property {Bytes | null} signingKey the private key, of Ed25519, of a seat that signs its moves
 * @property {Sent | null} sent
 */

/** @typedef {Pick<Kept, "server" | "playerId" | "gameId">} SeatName */

/**
 * @typedef {object} SeatKeeper
 * @property {(seat: SeatName) => Promise<Kept | null>} find the secrets of a seat; null if there are none
 * @property {(kept: Kept) => Promise<void>} keep keep the secrets of a seat, in place of those kept for it before
 * @property {(kept: Kept, sent: Sent) => Promise<Sent | null>} note note which link is about to be sent, unless another client
 *   of this seat has sent it, or a higher one. Returns what was noted before, also by other clients.
 * @property {(seat: SeatName) => Promise<void>} forget forget a seat that was given back, or whose game is over; its receipts stay
 * @property {(seat: SeatName, line: string) => Promise<void>} [addReceipt] keep a receipt, in base64
 * @property {(seat: SeatName) => Promise<string[]>} [receipts] the kept receipts, each in base64
 */

/** A text that names a seat. @param {SeatName} seat */
export function nameOf({ server, playerId, gameId }) {
  return `${server}\n${playerId}\n${gameId}`;
}

/** @implements {SeatKeeper} */
export class MemorySeatKeeper {
  /** @type {Map<string, Kept>} */
  #seats = new Map();
  /** @type {Map<string, string[]>} */
  #receipts = new Map();

  /** @param {SeatName} seat @returns {Promise<Kept | null>} */
  async find(seat) {
    return this.#seats.get(nameOf(seat)) ?? null;
  }

  /** @param {Kept} kept */
  async keep(kept) {
    this.#seats.set(nameOf(kept), kept);
  }

  /** @param {Kept} kept @param {Sent} sent @returns {Promise<Sent | null>} */
  async note(kept, sent) {
    const now = this.#seats.get(nameOf(kept)) ?? kept;
    if (isHigher(sent, now.sent)) this.#seats.set(nameOf(kept), { ...now, sent });
    return now.sent;
  }

  /** @param {SeatName} seat */
  async forget(seat) {
    this.#seats.delete(nameOf(seat));
  }

  /** @param {SeatName} seat @param {string} line */
  async addReceipt(seat, line) {
    this.#receipts.set(nameOf(seat), [...(await this.receipts(seat)), line]);
  }

  /** @param {SeatName} seat @returns {Promise<string[]>} */
  async receipts(seat) {
    return this.#receipts.get(nameOf(seat)) ?? [];
  }
}

/** Whether a link has a higher number than the one that was noted before. @param {Sent} sent @param {Sent | null} before */
export function isHigher(sent, before) {
  return before === null || sent.number > before.number;
}

/** The secrets of a seat as JSON has them. @param {Kept} kept */
export function plainOf({ seed, signingKey, ...open }) {
  return { ...open, seed: toBase64(seed), signingKey: signingKey === null ? null : toBase64(signingKey) };
}

/** The secrets of a seat from JSON; null if they are damaged, or those of another seat. Errors never show a secret.
 * @param {unknown} plain @param {SeatName} seat @returns {Kept | null} */
export function keptOf(plain, seat) {
  if (typeof plain !== "object" || plain === null) return null;
  const { server, playerId, gameId, length, seed, signingKey, sent } = /** @type {Record<string, unknown>} */ (plain);
  const named = { server: String(server), playerId: String(playerId), gameId: String(gameId) };
  const secret = secretOf(seed);
  const key = signingKey === null ? null : secretOf(signingKey);
  const sound = Number.isSafeInteger(length) && Number(length) >= 1 && (sent === null || isSent(sent));
  if (!sound || secret === null || (key === null && signingKey !== null) || nameOf(named) !== nameOf(seat)) return null;
  return { ...named, length: Number(length), seed: secret, signingKey: key, sent: /** @type {Sent | null} */ (sent) };
}

/** @param {unknown} sent @returns {sent is Sent} */
export function isSent(sent) {
  if (typeof sent !== "object" || sent === null) return false;
  const { number, version, told } = /** @type {Record<string, unknown>} */ (sent);
  return [number, version].every((one) => Number.isSafeInteger(one) && Number(one) >= 1) && secretOf(told) !== null;
}

/** @param {unknown} text @returns {Bytes | null} */
function secretOf(text) {
  try {
    const bytes = typeof text === "string" ? fromBase64(text) : new Uint8Array();
    return bytes.length === LINK_LENGTH ? bytes : null;
  } catch {
    return null;
  }
}
