/** A round: all roll, then bid in turn until somebody challenges, gives up or ends the game. */

/** @import {BundledEvent} from "./bundle.js" */
/** @import {PlacedBid} from "./bids.js" */
/** @import {Deal} from "./deals.js" */
/** @import {Game, Opening} from "./game.js" */
/** @import {CupDie} from "./cups.js" */
/** @import {CupReport, RoundReport} from "./report.js" */
/** @import {Rolls} from "./rolls.js" */
import { callsOfRound } from "./books.js";
import { followBidding } from "./bidding.js";
import { followChallenge } from "./challenge.js";
import { expectFields } from "./course.js";
import { liftedCups } from "./cups.js";
import { followForfeit, startClock, timedOutSeat } from "./forfeits.js";
import { inPlay, leftOf } from "./game.js";
import { followRolls } from "./rolls.js";
import { emptyRound } from "./report.js";

/**
 * @typedef {object} Round
 * @property {number} number
 * @property {number} opener
 * @property {boolean} palafico
 * @property {number[]} counts the dice of each seat when it began
 * @property {number} call the number of the links of its deal
 * @property {RoundDeal[]} deals
 * @property {number[]} hidden how many dice of each seat lie under its cup
 * @property {PlacedBid | null} standing the last bid
 */

/** @typedef {{deal: Deal, event: BundledEvent, rerollOf: number | null}} RoundDeal a deal, and the event that has it in its secret part */

/** Follow a round. @param {Game} game @param {Opening} opening @returns {Opening | null} how the next one opens; null if there is none */
export function followRound(game, { opener, palafico }) {
  const { chips, course } = game;
  const [number, counts] = [game.rounds.length + 1, [...game.dice]];
  const report = emptyRound(number, opener, palafico);
  game.rounds.push(report);
  expectFields(course.take("round-started"), { number, opener, palafico, dice_counts: counts }, "outcome");
  if (chips !== null) chips.payAntes(course, inPlay(game));
  const rolls = followRolls(game, inPlay(game), callsOfRound(game.book, counts));
  const next =
    rolls.waiting.length > 0
      ? cutShort(game, report, timedOutSeat(game, rolls.waiting))
      : played(game, dealtRound(game, { number, opener, palafico, counts }, rolls), report);
  report.nextOpener = next?.opener ?? null;
  expectFields(course.take("round-ended"), { number }, "outcome");
  if (next === null && inPlay(game).length === 1) report.clauses.push(game.book.clauses.wins);
  return next;
}

/** @param {Game} game @param {{number: number, opener: number, palafico: boolean, counts: number[]}} begun @param {Rolls} rolls @returns {Round} */
function dealtRound(game, begun, { call, links }) {
  const event = game.course.take("dice-dealt");
  startClock(game, event);
  const deals = [{ deal: game.deals.next(call, links), event, rerollOf: null }];
  return { ...begun, call, deals, hidden: [...begun.counts], standing: null };
}

/** @param {Game} game @param {Round} round @param {RoundReport} report @returns {Opening | null} */
function played(game, round, report) {
  const { challenger, late } = followBidding(game, round);
  const cups = liftedCups(game, round);
  if (challenger !== null) return followChallenge(game, round, challenger, cups, report);
  report.dice = uncountedDice(cups);
  return cutShort(game, report, late);
}

/** The round ends without a loser, by a forfeit (R10) or with the game (R17).
 * @param {Game} game @param {RoundReport} report @param {number | null} late @returns {Opening | null} */
function cutShort(game, report, late) {
  if (late === null && game.course.next === "round-ended") {
    report.ending = "abandoned";
    report.clauses = ["R17"];
    return null;
  }
  report.forfeit = followForfeit(game, late);
  report.ending = "forfeit";
  report.clauses = late === null ? ["R10"] : ["R15", "R10"];
  report.eliminated = [report.forfeit.seat];
  return inPlay(game).length > 1 ? { opener: leftOf(game, report.forfeit.seat), palafico: false } : null;
}

/** All dice, where there was nothing to count. @param {CupDie[][]} cups @returns {CupReport[]} */
function uncountedDice(cups) {
  const uncounted = { counts: false, why: /** @type {const} */ ("not-counted"), clause: null };
  const all = cups.map((cup, seat) => ({ seat, dice: cup.map((die) => ({ ...die, ...uncounted })) }));
  return all.filter(({ dice }) => dice.length > 0);
}
