/** Signatures of moves: who signs them, on which past, and the text that is signed. */

/** @import {Bytes} from "./bytes.js" */
/** @import {Bundle, BundledEvent} from "./bundle.js" */
import { toBase64, utf8 } from "./bytes.js";
import { areGood } from "./ed25519.js";
import { Failure, need } from "./failure.js";

/** @typedef {{signingKey: Bytes | null}} Signer a seat with its key */
/** @typedef {{key: Bytes, text: Bytes, signature: Bytes, version: number, seat: number}} SignedMove */

const MOVES = new Set(["rolled", "bid-placed", "dice-rerolled", "bid-challenged", "player-forfeited"]);
/** What does not change what a move is about: other players' moves, and the cups that a forfeit lifts. */
const PASSING = new Set(["rolled", "dice-rerolled", "cups-lifted"]);

/** The signatures of a game. Those that stand where they must are collected, and checked together in the end. */
export class MoveSignatures {
  #bundle;
  #digests;
  /** @type {SignedMove[]} */
  #moves = [];

  /** @param {Bundle} bundle @param {Bytes[]} digests by version */
  constructor(bundle, digests) {
    this.#bundle = bundle;
    this.#digests = digests;
  }

  /** Check that an event is signed if it must be, on a past that allows it. @param {BundledEvent} event @param {readonly Signer[]} signers by seat */
  take(event, signers) {
    const { fields, kind, signed, version } = event;
    need(!MOVES.has(kind) || fields.seat < signers.length, "outcome", "nobody-sits-there", { seat: fields.seat ?? 0 }, version);
    const key = MOVES.has(kind) ? (signers[fields.seat]?.signingKey ?? null) : null;
    if (key === null) {
      need(signed === null, "signatures", "nobody-signs-this", {}, version);
    } else if (signed === null) {
      need(this.#isExcused(event), "signatures", "not-signed", { seat: fields.seat }, version);
    } else {
      this.#checkPast(event, signed.after);
      const text = utf8(this.#textOf(event, signed.after));
      this.#moves.push({ key, text, signature: signed.signature, version, seat: fields.seat });
    }
  }

  /** Check all collected signatures. @returns {Promise<number[]>} the seats of the signed moves */
  async check() {
    const good = await areGood(this.#moves);
    const bad = this.#moves[good.indexOf(false)];
    if (bad !== undefined) throw new Failure("signatures", "bad-signature", { seat: bad.seat }, bad.version);
    return this.#moves.map(({ seat }) => seat);
  }

  /** Whether a move of a seat that signs needs no signature. @param {BundledEvent} event */
  #isExcused({ fields, kind, version }) {
    const before = this.#bundle.events[version - 2];
    if (kind === "player-forfeited") return fields.reason === "time";
    if (before === undefined || before.fields.seat !== fields.seat) return false;
    if (before.kind === "turn-timed-out") return true;
    return kind === "dice-rerolled" && before.kind === "bid-placed" && before.signed !== null;
  }

  /** @param {BundledEvent} event @param {number} after */
  #checkPast({ version }, after) {
    need(after < version, "signatures", "signed-on-the-future", {}, version);
    const between = this.#bundle.events.slice(after, version - 1);
    const passes = between.every((event) => PASSING.has(event.kind));
    need(passes, "signatures", "signed-on-a-past-gone-by", { after }, version);
  }

  /** @param {BundledEvent} event @param {number} after */
  #textOf(event, after) {
    const past = toBase64(/** @type {Bytes} */ (this.#digests[after]));
    const lines = ["liarsdice.move.v1", this.#bundle.gameId, after, past, event.fields.seat, this.#lineOf(event)];
    return lines.map((line) => `${line}\n`).join("");
  }

  /** @param {BundledEvent} event @returns {string} */
  #lineOf({ fields, kind, version }) {
    if (kind === "rolled") return `roll ${fields.link}`;
    if (kind === "dice-rerolled") return `show ${fields.shown.join(",")} link ${fields.link}`;
    if (kind === "bid-challenged") return "challenge";
    if (kind === "player-forfeited") return "forfeit";
    const next = this.#bundle.events[version];
    const together = next?.kind === "dice-rerolled" && next.signed === null && next.fields.seat === fields.seat;
    return `bid ${fields.quantity} ${fields.face}${together ? ` ${this.#lineOf(next)}` : ""}`;
  }
}
