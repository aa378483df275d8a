/** Bids, rerolls and time that is up, until a challenge is made or the cups are lifted for another reason. */

/** @import {BundledEvent} from "./bundle.js" */
/** @import {Bid, Bidding} from "./bids.js" */
/** @import {Game} from "./game.js" */
/** @import {Round} from "./round.js" */
import { lowestBid, problemWith } from "./bids.js";
import { expectFields } from "./course.js";
import { need } from "./failure.js";
import { startClock, timedOutSeat } from "./forfeits.js";
import { leftOf } from "./game.js";

/** What ends a turn. */
const TURNS = new Set(["bid-placed", "bid-challenged"]);

/** @typedef {{challenger: number | null, late: number | null}} Ended who challenged; whose time was up, if that ends the round */

/** Follow the bidding to its end. @param {Game} game @param {Round} round @returns {Ended} */
export function followBidding(game, round) {
  const { course } = game;
  let turn = round.opener;
  let mayReroll = false;
  for (;;) {
    const late = timedOutSeat(game, [turn]);
    if (late !== null && mustForfeit(game)) return { challenger: null, late };
    if (late !== null) checkConsequence(game, round);
    switch (course.next) {
      case "bid-placed":
        placeBid(game, round, turn, late !== null);
        mayReroll = true;
        turn = leftOf(game, turn);
        break;
      case "dice-rerolled":
        reroll(game, round, course.take("dice-rerolled"), mayReroll && late === null);
        mayReroll = false;
        break;
      case "bid-challenged":
        if (late !== null) tellMove(game, "challenge", null);
        return { challenger: challengedBy(round, course.take("bid-challenged"), turn), late: null };
      case "cups-lifted":
        return { challenger: null, late: null };
      default:
        course.take("bid-placed", "dice-rerolled", "turn-timed-out", "bid-challenged", "cups-lifted");
    }
  }
}

/** @param {Game} game */
function mustForfeit({ options }) {
  return options.on_timeout === "forfeit";
}

/** Check that the game does what its options say when a turn's time is up (R15). @param {Game} game @param {Round} round */
function checkConsequence(game, round) {
  const { course, options } = game;
  const challenges = round.standing !== null && (options.on_timeout === "challenge" || lowestBid(biddingOf(game, round)) === null);
  const due = challenges ? "bid-challenged" : "bid-placed";
  if (course.next === due || course.next === "dice-rerolled") return; // What a reroll says is judged where it is taken.
  course.takeFor(TURNS.has(course.next) ? "bids" : "outcome", due);
}

/** @param {Game} game @param {Round} round @param {number} turn @param {boolean} isLate */
function placeBid(game, round, turn, isLate) {
  const event = game.course.take("bid-placed");
  const { face, quantity, seat } = event.fields;
  need(seat === turn, "bids", "out-of-turn", { seat, turn });
  const bidding = biddingOf(game, round);
  const problem = problemWith({ quantity, face }, bidding);
  need(problem === null, "bids", problem ?? "", { quantity, face, ...standingOf(bidding.standing) });
  if (isLate) expectFields(event, { ...lowestBid(bidding) }, "bids");
  round.standing = { seat, quantity, face };
  startClock(game, event);
  if (isLate) tellMove(game, "bid", { quantity, face });
}

/** Report what the clock did instead of a forfeit. @param {Game} game @param {"bid" | "challenge"} move @param {Bid | null} bid */
function tellMove({ timeOuts }, move, bid) {
  const last = timeOuts.at(-1);
  if (last !== undefined) Object.assign(last, { move, bid });
}

/** Some dice are shown, and the other hidden ones rolled again (BT-19, R7).
 * @param {Game} game @param {Round} round @param {BundledEvent} event @param {boolean} mayReroll */
function reroll({ book, chains, deals }, round, event, mayReroll) {
  const { link, rerolled, seat, shown } = event.fields;
  // Number j of the round takes the link that lies j after the one of the deal.
  const number = round.call + round.deals.length;
  const revealed = chains.revealedBySeat(seat, link, number);
  need(book.rerolls && mayReroll && seat === round.standing?.seat, "bids", "no-reroll-now", { seat });
  const hidden = round.hidden[seat] ?? 0;
  need(shown.length > 0 && rerolled > 0 && shown.length + rerolled === hidden, "bids", "wrong-reroll", { seat });
  round.hidden[seat] = rerolled;
  round.deals.push({ deal: deals.next(number, [[seat, revealed]]), event, rerollOf: seat });
}

/** @param {Round} round @param {BundledEvent} event @param {number} turn @returns {number} */
function challengedBy({ standing }, event, turn) {
  const { seat } = event.fields;
  need(seat === turn, "bids", "out-of-turn", { seat, turn });
  need(standing !== null, "bids", "nothing-to-challenge");
  expectFields(event, { bid: standing }, "bids");
  return seat;
}

/** @param {Game} game @param {Round} round @returns {Bidding} */
function biddingOf({ book, options }, { palafico, standing }) {
  return { book, raiseRule: options.raise_rule, palafico, standing };
}

/** The standing bid for a sentence. @param {Bid | null} standing */
function standingOf(standing) {
  return { standingQuantity: standing?.quantity ?? 0, standingFace: standing?.face ?? 0 };
}
