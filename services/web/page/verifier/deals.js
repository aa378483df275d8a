/** From links to dice: the derivation of `docs/reference/fair-dice.md`, version 1. */

/** @import {Bytes} from "./bytes.js" */
import { bigEndian, joined, utf8 } from "./bytes.js";
import { hmac, sha256 } from "./sha256.js";

/** @typedef {[seat: number, link: Bytes]} SeatLink a seat and the link that it revealed */
/** @typedef {{number: number, transcript: Bytes, links: SeatLink[]}} Deal all that makes its dice, but for the server's link */

const FACES = 6;

/** The deals of a game, of which each takes in those before it. */
export class Deals {
  #transcript;

  /** @param {string} gameId @param {Bytes} serverAnchor @param {Bytes[]} anchors in seat order */
  constructor(gameId, serverAnchor, anchors) {
    const name = utf8(gameId);
    this.#transcript = sha256(joined(utf8("liarsdice.transcript.v1"), bigEndian(name.length, 2), name, serverAnchor, ...anchors));
  }

  /** The next deal. @param {number} number that of its links @param {SeatLink[]} links in seat order @returns {Deal} */
  next(number, links) {
    const deal = { number, transcript: this.#transcript, links };
    const revealed = links.flatMap(([seat, link]) => [Uint8Array.of(seat), link]);
    this.#transcript = sha256(joined(this.#transcript, bigEndian(number, 4), ...revealed));
    return deal;
  }
}

/** The key of a deal: HKDF-SHA-256 (RFC 5869). @param {Deal} deal @param {Bytes} serverLink */
export function keyOf({ links, number, transcript }, serverLink) {
  const extracted = hmac(transcript, joined(serverLink, ...links.map(([, link]) => link)));
  return hmac(extracted, joined(utf8("liarsdice.deal.v1"), bigEndian(number, 4), Uint8Array.of(1)));
}

/** The dice of a seat in a deal. @param {Bytes} key @param {number} seat @param {number} count @returns {number[]} */
export function handOf(key, seat, count) {
  return Array.from({ length: count }, (_, die) => 1 + below(FACES, key, joined(utf8("die"), Uint8Array.of(seat, die))));
}

/** The drawn opener among seats. @param {Bytes} key @param {readonly number[]} seats @returns {number} */
export function drawn(key, seats) {
  return /** @type {number} */ (seats[below(seats.length, key, utf8("opener"))]);
}

/** A number below a bound, each equally likely: bytes that would favour low numbers are skipped.
 * @param {number} bound @param {Bytes} key @param {Bytes} label */
function below(bound, key, label) {
  const limit = 256 - (256 % bound);
  for (let block = 0; ; block += 1) {
    const byte = hmac(key, joined(label, bigEndian(block, 4))).find((one) => one < limit);
    if (byte !== undefined) return byte % bound;
  }
}
