/** Hash chains: a seed, an anchor that commits to it, and the links between them, which are revealed backwards. */

/** @import {Bytes} from "../bytes.js" */
import { joined, same, utf8 } from "../bytes.js";
import { KeptBack } from "../transport/refusal.js";

export const LINK_LENGTH = 32;

/** SHA-256. @param {Bytes} bytes @returns {Promise<Bytes>} */
export async function sha256(bytes) {
  if (crypto.subtle === undefined) {
    const sentence = "Browsers have WebCrypto only on pages that came over https or from this machine.";
    throw new KeptBack("unimplemented", sentence, { reason: "WEBCRYPTO_MISSING" });
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** A link, hashed some steps along a chain of a game: the result is an earlier revealed link, or the anchor.
 * @param {Bytes} link @param {string} gameId */
export async function hashed(link, gameId, steps = 1) {
  const name = utf8(gameId);
  const prefix = joined(utf8("liarsdice.chain.v1"), Uint8Array.of(name.length), name);
  let hash = link;
  for (let step = 0; step < steps; step += 1) hash = await sha256(joined(prefix, hash));
  return hash;
}

/** The whole chain of a seat, which only its player has. */
export class Chain {
  /** By their numbers: the anchor is number 0, the seed is the last. @type {Bytes[]} */
  #links;

  /** @param {Bytes[]} links */
  constructor(links) {
    this.#links = links;
  }

  /** The chain of a secret seed, for one game. @param {Bytes} seed @param {string} gameId @param {number} length */
  static async from(seed, gameId, length) {
    if (seed.length !== LINK_LENGTH) throw new RangeError(`a seed has ${LINK_LENGTH} bytes, not ${seed.length}`);
    const links = [seed];
    for (let made = 0; made < length; made += 1) links.push(await hashed(/** @type {Bytes} */ (links.at(-1)), gameId));
    return new Chain(links.reverse());
  }

  /** How many links it has, the anchor not counted. */
  get length() {
    return this.#links.length - 1;
  }

  /** The commitment to the chain, public from the start. */
  get anchor() {
    return this.link(0);
  }

  /** The link of a number: link 1 hashes to the anchor, the last one is the seed itself. @param {number} number */
  link(number) {
    const link = this.#links[number];
    if (link === undefined) throw new RangeError(`there is no link ${number}`);
    return link;
  }
}

/** How far somebody's chain has been revealed. */
export class FollowedChain {
  #gameId;
  #length;
  #head;
  #number = 0;

  /** @param {string} gameId @param {Bytes} anchor @param {number} length */
  constructor(gameId, anchor, length) {
    this.#gameId = gameId;
    this.#head = anchor;
    this.#length = length;
  }

  /** Why this is not the link with the number that the game asked for; null if it is, and then it is the last revealed one.
   * @param {Bytes} link @param {number} number @returns {Promise<string | null>} */
  async problemWith(link, number) {
    if (number > this.#length) return "is beyond the end of the chain";
    if (number <= this.#number) return "was revealed before";
    const leads = link.length === LINK_LENGTH && same(await hashed(link, this.#gameId, number - this.#number), this.#head);
    if (!leads) return "does not lead to the one revealed before it";
    this.#head = link;
    this.#number = number;
    return null;
  }
}
