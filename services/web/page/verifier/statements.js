/** What a bundle that verifies does not prove: whose word it is, and for which seats. */

/** @import {Bundle} from "./bundle.js" */
/** @import {Checkpoint} from "./checkpoint.js" */
/** @import {Values} from "./failure.js" */
/** @import {Game} from "./game.js" */
/** @import {Check, SeatReport, StatementName, Status} from "./report.js" */
import { toBase64 } from "./bytes.js";

/** @param {Game} game @param {number[]} signers the seat of each signed move @returns {SeatReport[]} */
export function reportedSeats({ players }, signers) {
  return players.map(({ signingKey, ...player }, seat) => ({
    ...{ seat, ...player, signingKey: signingKey === null ? null : toBase64(signingKey) },
    signedMoves: signers.filter((signer) => signer === seat).length,
  }));
}

/** @param {Bundle} bundle @param {Game} game @param {SeatReport[]} seats @param {Checkpoint} checkpoint
 * @param {{isGiven: boolean, keys: number, witnesses: number}} known which keys the caller gave, and how many were used @returns {Check[]} */
export function statements(bundle, game, seats, { signatures }, { isGiven, keys, witnesses }) {
  const [held, silent] = [seats.filter(({ chainHeldBy }) => chainHeldBy === "server"), seats.filter(({ signingKey }) => signingKey === null)];
  const old = bundle.events.filter(({ digest }) => digest === null).length;
  const cut = game.rounds.some(({ ending, forfeit }) => ending === "abandoned" || forfeit?.reason === "time") || game.abandoned !== null;
  const stated = [
    isGiven ? statement("key", "proven") : statement("key", "word-of-bundle"),
    witnesses > 0 ? statement("witnesses", "proven", { count: witnesses }) : null,
    signatures.length > keys + witnesses ? statement("other-signatures", "word-of-bundle") : null,
    held.length === 0 ? statement("chains", "proven") : statement("chains", "word-of-server", seatValues(held)),
    silent.length === 0 ? statement("moves", "proven") : statement("moves", "word-of-server", seatValues(silent)),
    old > 0 ? statement("old-events", "word-of-server", { count: old }) : null,
    cut ? statement("cut-short", "word-of-server", { count: game.timeOuts }) : null,
    statement("times", "word-of-server"),
  ];
  return stated.filter((check) => check !== null);
}

/** @param {SeatReport[]} seats @returns {Values} */
function seatValues(seats) {
  return { count: seats.length, seats: seats.map(({ seat }) => seat).join(", "), names: seats.map(({ name }) => name).join(", ") };
}

/** @param {StatementName} name @param {Status} status @param {Values} [values] @returns {Check} */
function statement(name, status, values = {}) {
  return { name, status, meaning: `${name}.${status}`, values, version: null };
}
