/** Turns that time out, and players who give up. */

/** @import {BundledEvent} from "./bundle.js" */
/** @import {Game} from "./game.js" */
import { expectFields } from "./course.js";
import { need } from "./failure.js";
import { eliminate } from "./game.js";

/** @typedef {{seat: number, reason: "resigned" | "time"}} Forfeit */

/** The seat whose time was up; null if the next event says nothing about it.
 * @param {Game} game @param {number[]} waiting whose turn it is @returns {number | null} */
export function timedOutSeat(game, waiting) {
  if (game.course.next !== "turn-timed-out") return null;
  const { at, seat } = game.course.take("turn-timed-out").fields;
  const { turn_seconds: seconds } = game.options;
  need(seconds !== null, "bids", "no-clock");
  need(waiting.includes(seat), "bids", "not-waited-for", { seat });
  const waited = at - game.clockStart;
  need(waited >= seconds * 1000, "bids", "time-not-up", { seat, seconds, milliseconds: seconds * 1000 - waited });
  game.timeOuts.push({ version: game.course.version, round: game.rounds.length, seat, waited, move: "forfeit", bid: null });
  return seat;
}

/** The clock of the next move starts: with a call to roll, with a deal or with a bid. @param {Game} game @param {BundledEvent} event */
export function startClock(game, event) {
  game.clockStart = event.fields.at;
}

/** A player gives up all dice (R10), or has to (R15). @param {Game} game @param {number | null} late whose time was up @returns {Forfeit} */
export function followForfeit(game, late) {
  const forfeited = game.course.take("player-forfeited");
  const { reason, seat } = forfeited.fields;
  const lost = game.dice[seat] ?? 0;
  need(lost > 0, "bids", "nobody-sits-there", { seat });
  if (late !== null) expectFields(forfeited, { seat: late }, "bids");
  expectFields(forfeited, { reason: late === null ? "resigned" : "time" }, "bids");
  expectFields(forfeited, { lost }, "outcome");
  game.dice[seat] = 0;
  eliminate(game, [seat]);
  return { seat, reason };
}
