/** A round with all that is needed to show it. */

/** @import {Report, RoundReport, SeatReport} from "../verifier/report.js" */
/** @import {Texts} from "./texts.js" */

/** What the books have in place of face 1. @type {Record<string, string>} */
const SYMBOLS = { "bidding-track": "star", "single-hand": "ace", pirates: "skull", "prediction-track": "wheel" };

/** @typedef {{round: RoundReport, seats: SeatReport[], symbol: string, texts: Texts}} Shown a round with all that is needed to show it */

/** @param {Report} report @param {RoundReport} round @param {Texts} texts @returns {Shown} */
export function shownRound({ rulebook, seats }, round, texts) {
  return { round, seats, symbol: SYMBOLS[rulebook ?? ""] ?? "", texts };
}

/** @param {Shown} shown @param {number} seat */
export function nameOf({ seats, texts }, seat) {
  return seats[seat]?.name ?? texts.say("round.seat", { seat });
}
