/** What a bundle that verifies does not prove: whose word it is, and for which seats. */

/** @import {Bundle} from "./bundle.js" */
/** @import {Values} from "./failure.js" */
/** @import {Game} from "./game.js" */
/** @import {Check, RoundReport, SeatReport, StatementName, Status, TimeOutReport} from "./report.js" */
import { toBase64 } from "./bytes.js";

/** @param {Game} game @param {number[]} signers the seat of each signed move @returns {SeatReport[]} */
export function reportedSeats({ players, timeOuts }, signers) {
  return players.map(({ signingKey, ...player }, seat) => ({
    ...{ seat, ...player, signingKey: signingKey === null ? null : toBase64(signingKey) },
    signedMoves: signers.filter((signer) => signer === seat).length,
    clockMoves: timeOuts.filter((timeOut) => timeOut.seat === seat).length,
  }));
}

/** @param {Bundle} bundle @param {Game} game @param {SeatReport[]} seats
 * @param {{isGiven: boolean, witnesses: number, hasOthers: boolean}} known which keys the caller gave, and whether others signed too
 * @returns {Check[]} */
export function statements(bundle, game, seats, { hasOthers, isGiven, witnesses }) {
  const [held, silent] = [seats.filter(({ chainHeldBy }) => chainHeldBy === "server"), seats.filter(({ signingKey }) => signingKey === null)];
  const old = bundle.events.filter(({ digest }) => digest === null).length;
  const stated = [
    isGiven ? statement("key", "proven") : statement("key", "word-of-bundle"),
    witnesses > 0 ? statement("witnesses", "proven", { count: witnesses }) : null,
    hasOthers ? statement("other-signatures", "word-of-bundle") : null,
    held.length === 0 ? statement("chains", "proven") : statement("chains", "word-of-server", seatValues(held)),
    movesStatement(game, silent),
    ...game.timeOuts.map((timeOut) => clockStatement(timeOut, seats)),
    game.abandoned === null ? null : abandonedStatement(game.abandoned, game.rounds.at(-1)),
    old > 0 ? statement("old-events", "word-of-server", { count: old }) : null,
    statement("times", "word-of-server"),
  ];
  return stated.filter((check) => check !== null);
}

/** Whose word the moves are. @param {Game} game @param {SeatReport[]} silent those who sign nothing @returns {Check} */
function movesStatement({ timeOuts }, silent) {
  if (silent.length > 0) return statement("moves", "word-of-server", seatValues(silent));
  if (timeOuts.length === 0) return statement("moves", "proven");
  return { ...statement("moves", "word-of-server", { count: timeOuts.length }), meaning: "moves.but-the-clocks" };
}

/** A move that the clock made. @param {TimeOutReport} timeOut @param {SeatReport[]} seats @returns {Check} */
function clockStatement({ bid, move, round, seat, version, waited }, seats) {
  const values = { seat, name: seats[seat]?.name ?? "", round, seconds: Math.round(waited / 100) / 10, quantity: bid?.quantity ?? 0, face: bid?.face ?? 0 };
  return { name: "clock", status: "word-of-server", meaning: round === 0 ? "clock.before-the-first-round" : `clock.${move}`, values, version };
}

/** A game that was ended without a winner. @param {string} reason @param {RoundReport | undefined} last its last round @returns {Check} */
function abandonedStatement(reason, last) {
  if (last?.ending !== "abandoned") return statement("abandoned", "word-of-server", { reason });
  return { ...statement("abandoned", "word-of-server", { reason, round: last.number }), meaning: "abandoned.in-a-round" };
}

/** @param {SeatReport[]} seats @returns {Values} */
function seatValues(seats) {
  return { count: seats.length, seats: seats.map(({ seat }) => seat).join(", "), names: seats.map(({ name }) => name).join(", ") };
}

/** @param {StatementName} name @param {Status} status @param {Values} [values] @returns {Check} */
function statement(name, status, values = {}) {
  return { name, status, meaning: `${name}.${status}`, values, version: null };
}
