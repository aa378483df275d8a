/** Hash chains of which the links are revealed one by one, and the numbers by which the game calls for them. */

/** @import {Bytes} from "./bytes.js" */
import { decoded, joined, same, utf8 } from "./bytes.js";
import { need } from "./failure.js";
import { sha256 } from "./sha256.js";

/** How far somebody's chain has been revealed. */
class Chain {
  number = 0;

  /** @param {Bytes} anchor */
  constructor(anchor) {
    this.head = anchor;
  }
}

/** All chains of a game: those of the players by their seats, and that of the server. */
export class Chains {
  #prefix;
  #length;
  #server;
  #seats;
  /** How many links were checked. */
  links = 0;
  /** The number of the next call. */
  nextCall = 1;

  /** @param {string} gameId @param {number} length @param {Bytes} serverAnchor @param {Bytes[]} anchors by seat */
  constructor(gameId, length, serverAnchor, anchors) {
    const name = utf8(gameId);
    this.#prefix = joined(utf8("liarsdice.chain.v1"), Uint8Array.of(name.length), name, new Uint8Array(32));
    this.#length = length;
    this.#server = new Chain(serverAnchor);
    this.#seats = anchors.map((anchor) => new Chain(anchor));
  }

  /** Take a player's link with a number, which was called for. @param {number} seat @param {string} link @param {number} number @returns {Bytes} */
  revealedBySeat(seat, link, number) {
    const chain = this.#seats[seat];
    need(chain !== undefined, "links", "no-such-seat", { seat });
    return this.#revealed(chain, link, number, "link-leads-elsewhere", seat);
  }

  /** Take the server's link with a number. @param {string} link @param {number} number @returns {Bytes} */
  revealedByServer(link, number) {
    return this.#revealed(this.#server, link, number, "server-link-leads-elsewhere", -1);
  }

  /** @param {Chain} chain @param {string} spelled @param {number} number @param {string} reason @param {number} seat */
  #revealed(chain, spelled, number, reason, seat) {
    need(number <= this.#length && number > chain.number, "links", "link-out-of-order", { number });
    const link = decoded(spelled);
    need(same(this.#hashed(link, number - chain.number), chain.head), "links", reason, { seat, number });
    chain.head = link;
    chain.number = number;
    this.links += 1;
    return link;
  }

  /** @param {Bytes} link @param {number} steps */
  #hashed(link, steps) {
    const at = this.#prefix.length - 32;
    let hash = link;
    for (let step = 0; step < steps; step += 1) {
      this.#prefix.set(hash, at);
      hash = sha256(this.#prefix);
    }
    return hash;
  }
}
