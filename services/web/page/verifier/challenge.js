/** A challenge: the count, who loses how many dice, who is out, and who opens the next round. */

/** @import {PlacedBid} from "./bids.js" */
/** @import {CupDie} from "./cups.js" */
/** @import {Game, Opening} from "./game.js" */
/** @import {CupReport, DieReport, Loss, RoundReport} from "./report.js" */
/** @import {Round} from "./round.js" */
import { WILD_FACE } from "./books.js";
import { expectFields } from "./course.js";
import { eliminate, inPlay, leftOf } from "./game.js";

/** @typedef {{bidder: number, challenger: number, difference: number}} Verdict by how many dice there are more than were bid */

/** Follow a challenge. @param {Game} game @param {Round} round @param {number} challenger @param {CupDie[][]} cups @param {RoundReport} report
 * @returns {Opening | null} */
export function followChallenge(game, round, challenger, cups, report) {
  const { chips, course } = game;
  const bid = /** @type {PlacedBid} */ (round.standing);
  report.dice = countedDice(game, round, bid, cups);
  const counts = report.dice.map(({ dice, seat }) => ({ seat, natural: countOf(dice, "face"), wild: countOf(dice, "wild") }));
  const actual = counts.reduce((sum, { natural, wild }) => sum + natural + wild, 0);
  const winner = actual >= bid.quantity ? bid.seat : challenger;
  expectFields(course.take("challenge-resolved"), { bid, challenger, actual, counts, winner }, "outcome");
  const verdict = { bidder: bid.seat, challenger, difference: actual - bid.quantity };
  const losses = followLosses(game, verdict);
  const out = losses.flatMap(({ seat }) => (game.dice[seat] === 0 ? [seat] : []));
  eliminate(game, out);
  const pot = chips?.winRound(course, winner) ?? null;
  const next = nextOpening(game, verdict, winner, losses);
  report.ending = "challenge";
  report.eliminated = out;
  report.challenge = { bid, challenger, actual, counts, winner, losses, pot };
  report.clauses = clausesOf(game, round, bid, verdict, out, next);
  return next;
}

/** Every die, and why it counts or not.
 * @param {Game} game @param {Round} round @param {PlacedBid} bid @param {CupDie[][]} cups @returns {CupReport[]} */
function countedDice(game, { palafico }, bid, cups) {
  const isWild = { always: true, option: game.options.wild_aces, "not-in-palafico": !palafico }[game.book.wild];
  const { clauses } = game.book;
  const clauseOf = {
    face: bid.face === WILD_FACE && isWild ? clauses.wildBid : clauses.count,
    wild: clauses.wild,
    "wild-is-plain": palafico ? "PA-13" : clauses.count,
    "another-face": clauses.count,
  };
  return inPlay(game).map((seat) => ({
    seat,
    dice: (cups[seat] ?? []).map((die) => {
      const why = reasonOf(die, bid.face, isWild);
      return { ...die, counts: why === "face" || why === "wild", why, clause: clauseOf[why] };
    }),
  }));
}

/** Why a die counts or not. @param {CupDie} die @param {number} face that of the bid @param {boolean} isWild whether face 1 counts towards every face
 * @returns {"face" | "wild" | "wild-is-plain" | "another-face"} */
function reasonOf(die, face, isWild) {
  if (die.face === face) return "face";
  if (die.face === WILD_FACE) return isWild ? "wild" : "wild-is-plain";
  return "another-face";
}

/** @param {DieReport[]} dice @param {DieReport["why"]} why */
function countOf(dice, why) {
  return dice.filter((die) => die.counts && die.why === why).length;
}

/** @param {Game} game @param {Verdict} verdict @returns {Loss[]} */
function followLosses(game, verdict) {
  return penalties(game, verdict).map(({ penalty, seat }) => {
    const before = game.dice[seat] ?? 0;
    const lost = Math.min(penalty, before);
    expectFields(game.course.take("dice-lost"), { seat, penalty, lost }, "outcome");
    game.dice[seat] = before - lost;
    return { seat, penalty, lost };
  });
}

/** What the book takes from whom. @param {Game} game @param {Verdict} verdict */
function penalties(game, { bidder, challenger, difference }) {
  const { book } = game;
  if (difference === 0 && book.exactCostsOthers) {
    return inPlay(game).filter((seat) => seat !== bidder).map((seat) => ({ seat, penalty: 1 })); // BT-16
  }
  const penalty = book.difference ? Math.max(Math.abs(difference), 1) : 1;
  return [{ seat: difference < 0 ? bidder : challenger, penalty }];
}

/** @param {Game} game @param {Verdict} verdict @param {number} winner @param {Loss[]} losses @returns {Opening | null} */
function nextOpening(game, verdict, winner, losses) {
  const { book, dice } = game;
  const left = inPlay(game).length;
  if (left === 1) return null;
  const loser = losses[0]?.seat ?? 0;
  const opens = { winner, loser, challenger: verdict.challenger }[book.opens];
  if (dice[opens] === 0) return { opener: leftOf(game, opens), palafico: false };
  // The opener of such a book is the loser, who has just come down to this number of dice (PA-12, PA-15).
  return { opener: opens, palafico: book.palafico && dice[opens] === 1 && left > 2 };
}

/** The clauses that decided a round.
 * @param {Game} game @param {Round} round @param {PlacedBid} bid @param {Verdict} verdict @param {number[]} out @param {Opening | null} next */
function clausesOf({ book, options }, { palafico }, bid, { difference }, out, next) {
  const { clauses } = book;
  const hasWild = book.wild !== "option" || options.wild_aces;
  const counting = palafico ? ["PA-13"] : hasWild ? [bid.face === WILD_FACE ? clauses.wildBid : clauses.wild] : [];
  const losing = difference < 0 ? clauses.bidderLoses : difference > 0 ? clauses.challengerLoses : clauses.exact;
  const opens = out.length > 0 ? clauses.opensIfOut : clauses.opens;
  const opening = next === null ? [] : [opens, ...(next.palafico ? ["PA-12"] : [])];
  return [...new Set([clauses.count, ...counting, losing, ...(out.length > 0 ? [clauses.out] : []), ...opening])];
}
