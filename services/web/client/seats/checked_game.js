/**
 * A game as the server tells it to a seat, from its first event on, and checked: can this be true?
 *
 * A server that goes back on its word is found out by comparison: with the events that it sent before and, after a restart,
 * with a hash of them.
 */

/** @import {Bytes} from "../bytes.js" */
/** @import {Findings, Game, GameEvent} from "../messages/types.js" */
/** @import {Kept} from "./seat_keeper.js" */
import { joined, same, toBase64, toJson, utf8 } from "../bytes.js";
import { LINK_LENGTH, sha256 } from "../fairness/chain.js";
import { Contradiction } from "../fairness/contradiction.js";
import { Course } from "../fairness/course.js";
import { Proof } from "../fairness/proof.js";
import { FalseServer, KeptBack, StreamBroken } from "../transport/refusal.js";
import { madeTable, shownTable } from "./told_table.js";

/** The fields of events that the dice depend on; hashed by name, so that an event may gain others. */
const MATTERS = new Set([
  ...["gameId", "fairness", "anchor", "seat", "seats", "call", "calls"],
  ...["link", "serverLink", "shown", "hand", "hands", "rolls", "deals", "dice"],
]);

const LAID_OPEN = new Set(["OpeningDiceRolled", "CupsLifted", "GameEnded", "GameAbandoned"]);

/** @typedef {{anchor: Bytes, signingKey: Bytes | null}} Brought what the server got when the seat was taken */

export class CheckedGame {
  #kept;
  #brought;
  /** The events as they were told. @type {string[]} */
  #told = [];
  /** The table after each event, and the number of the next link; the table is null before the seat was taken.
   * @type {{table: string | null, number: number}[]} */
  #made = [];
  /** What was proven whenever dice were laid open. @type {Map<number, Findings>} */
  #findings = new Map();
  /** The links that rerolls were made with. @type {Bytes[]} */
  #rerolls = [];
  course = new Course();
  #proof = new Proof(this.course);
  /** A hash of all that matters to the dice. @type {Bytes} */
  diceHash = new Uint8Array(LINK_LENGTH);

  /** @param {Kept} kept @param {Brought} brought */
  constructor(kept, brought) {
    this.#kept = kept;
    this.#brought = brought;
  }

  /** How many events the client has. */
  get version() {
    return this.#told.length;
  }

  /** The seat with the kept chain; null before it was taken. */
  get seat() {
    const seat = this.course.joined.findIndex(({ anchor }) => same(anchor, this.#brought.anchor));
    return seat < 0 ? null : seat;
  }

  /** The number of the link that the seat has to roll with now; null if it does not have to roll. */
  get rollDue() {
    const rolls = this.course.stage === "choosing" || this.course.stage === "rolling";
    return rolls && this.seat !== null && this.course.waiting.includes(this.seat) ? this.course.linkNumber : null;
  }

  /** Whether the game has ended. */
  get over() {
    return this.course.stage === "over";
  }

  /** Whether a reroll was made with this link. @param {Bytes} link */
  rerolledWith(link) {
    return this.#rerolls.some((other) => same(other, link));
  }

  /** What all events prove about the dice, the player's own dice as they were dealt among them. */
  proven() {
    return this.#proof.findings();
  }

  /** What the events up to a version proved, at which dice were laid open; null at any other. @param {number} version */
  provenAt(version) {
    return this.#findings.get(version) ?? null;
  }

  /** Go on with what happened; events that the server sent before must be the same again. @param {GameEvent[]} events */
  async add(events) {
    for (const event of events) {
      if (event.version > this.version + 1) throw new StreamBroken("an event was left out");
      if (event.version === this.version + 1) await this.#add(event);
      else if (this.#told[event.version - 1] !== toJson(event)) {
        throw this.#false(`event ${event.version} is not the one that it sent before`);
      }
    }
    this.#checkOwnPlace();
  }

  /** Hold what the server says about the game, after these events if there are any, against what follows from its events.
   * @param {Game} game @param {GameEvent[]} events */
  compare(game, events) {
    const last = events.at(-1)?.version ?? game.version;
    if (game.version !== last) throw this.#false(`it shows version ${game.version} after event ${last}`);
    const made = this.#made[game.version - 1];
    if (made === undefined) throw new StreamBroken("it shows a version whose events are missing");
    const { number, table } = made;
    if (game.linkNumber !== number) throw this.#false(`it asks for link ${game.linkNumber}, and ${number || "none"} is due`);
    if (table !== null && shownTable(game.view) !== table) {
      throw this.#false("it shows the table otherwise than its events make it");
    }
  }

  /** @param {GameEvent} event */
  async #add(event) {
    if (event.type === "Unknown") {
      const sentence = `Event ${event.version} is of a kind that this client does not know, so it can't check the game.`;
      throw new KeptBack("unimplemented", sentence, { reason: "EVENT_UNKNOWN" });
    }
    if (event.type === "GameCreated" && event.gameId !== this.#kept.gameId) {
      throw this.#false(`it sends events of the game ${event.gameId}`);
    }
    try {
      this.course.follow(event);
      await this.#proof.follow(event);
    } catch (error) {
      throw error instanceof Contradiction ? this.#false(`event ${event.version}, ${error.message}`) : error;
    }
    this.#told.push(toJson(event));
    const table = this.seat === null ? null : madeTable(this.course, this.seat);
    this.#made.push({ table, number: this.course.linkNumber ?? 0 });
    if (event.type === "DiceRerolled") this.#rerolls.push(event.link);
    if (LAID_OPEN.has(event.type)) this.#findings.set(event.version, this.#proof.findings());
    this.diceHash = await sha256(joined(this.diceHash, whatMatters(event)));
    // After a restart the events of before are gone. Their hash is what the server has to stand by.
    const { sent } = this.#kept;
    if (sent !== null && sent.version === this.version && sent.told !== toBase64(this.diceHash)) {
      throw this.#false("the game has another past than before");
    }
  }

  /** The seat must have the chain that the client brought: with another one the server itself would roll. */
  #checkOwnPlace() {
    const own = this.course.joined.find(({ playerId }) => playerId === this.#kept.playerId);
    const missing = own === undefined && this.course.counts.length > 0;
    if (missing || (own !== undefined && !this.#isOwn(own))) {
      throw this.#false("your seat does not have the chain and the key that are kept here");
    }
  }

  /** @param {Course["joined"][number]} player */
  #isOwn({ anchor, chainHeldBy, signingKey }) {
    const key = this.#brought.signingKey;
    const sameKey = key === null || signingKey === null ? key === signingKey : same(key, signingKey);
    return sameKey && chainHeldBy === "player" && same(anchor, this.#brought.anchor);
  }

  /** @param {string} problem */
  #false(problem) {
    return new FalseServer(this.#kept.gameId, problem);
  }
}

/** @param {GameEvent} event */
function whatMatters(event) {
  const fields = Object.entries(event).filter(([name]) => MATTERS.has(name));
  return utf8(toJson([event.type, Object.fromEntries(fields)]));
}
