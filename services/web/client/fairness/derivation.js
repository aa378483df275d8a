/** From revealed links to dice, version 1. `docs/reference/fair-dice.md` has the same in words, with test vectors. */

/** @import {Bytes} from "../bytes.js" */
import { bigEndian, joined, utf8 } from "../bytes.js";
import { sha256 } from "./chain.js";

export const VERSION = 1;
const FACES = 6;

/** @typedef {[seat: number, link: Bytes]} SeatLink a seat and the link it revealed */

/** The hash of what was fixed before the first roll: the game and everybody's commitment, in seat order.
 * @param {string} gameId @param {Bytes} serverAnchor @param {Bytes[]} anchors */
export function firstTranscript(gameId, serverAnchor, anchors) {
  const name = utf8(gameId);
  const fixed = joined(utf8("liarsdice.transcript.v1"), bigEndian(name.length, 2), name, serverAnchor, ...anchors);
  return sha256(fixed);
}

/** The transcript after a deal, with the number of its links and the players' links in seat order.
 * @param {Bytes} transcript @param {number} number @param {SeatLink[]} links */
export function nextTranscript(transcript, number, links) {
  const revealed = links.flatMap(([seat, link]) => [Uint8Array.of(seat), link]);
  return sha256(joined(transcript, bigEndian(number, 4), ...revealed));
}

/** The key of a deal: HKDF-SHA256 (RFC 5869) of the server's link and the links of all who roll, in seat order.
 * @param {Bytes} transcript @param {number} number @param {Bytes} serverLink @param {SeatLink[]} links */
export async function dealKey(transcript, number, serverLink, links) {
  const extracted = await hmac(await keyed(transcript), joined(serverLink, ...links.map(([, link]) => link)));
  const info = joined(utf8("liarsdice.deal.v1"), bigEndian(number, 4), Uint8Array.of(1));
  return hmac(await keyed(extracted), info);
}

/** The dice of a seat in a deal: each from its own stream of bytes, so none depends on how many there are.
 * @param {Bytes} key @param {number} seat @param {number} count @returns {Promise<number[]>} */
export async function handOf(key, seat, count) {
  const source = await keyed(key);
  const dice = Array.from({ length: count }, (_, die) => below(FACES, source, joined(utf8("die"), Uint8Array.of(seat, die))));
  return (await Promise.all(dice)).map((number) => number + 1);
}

/** One of the seats, each equally likely. @param {Bytes} key @param {number[]} seats @returns {Promise<number>} */
export async function drawn(key, seats) {
  return /** @type {number} */ (seats[await below(seats.length, await keyed(key), utf8("opener"))]);
}

/** A number from 0 up to, not including, `bound`. Bytes that would favour the low numbers are skipped.
 * @param {number} bound @param {CryptoKey} source @param {Bytes} label */
async function below(bound, source, label) {
  const limit = 256 - (256 % bound);
  for (let block = 0; ; block += 1) {
    const byte = (await hmac(source, joined(label, bigEndian(block, 4)))).find((one) => one < limit);
    if (byte !== undefined) return byte % bound;
  }
}

/** @param {Bytes} key */
function keyed(key) {
  return crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

/** @param {CryptoKey} key @param {Bytes} bytes @returns {Promise<Bytes>} */
async function hmac(key, bytes) {
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes));
}
