/** A round explained: the bid against what lay there, every die with the reason why it counts or not, and what it cost. */

import { h } from "../core/render.js";
import { die, faceName } from "../dice/die.js";
import { cupsView } from "./cups_view.js";
import { nameOf } from "./shown_round.js";

/** @import {Children} from "../core/render.js" */
/** @import {ChallengeReport, DieReport} from "../verifier/report.js" */
/** @import {Shown} from "./shown_round.js" */

/** The round from the bid to the losses. @param {Shown} shown @param {(clause: string) => string | null} ruleAddress @returns {Children} */
export function roundView(shown, ruleAddress) {
  return [resultView(shown), shown.round.dice.length > 0 && cupsView(shown), clausesView(shown, ruleAddress)];
}

/** What happened, in one sentence. @param {Shown} shown */
export function resultSentence(shown) {
  const { round, symbol, texts } = shown;
  const { challenge, forfeit } = round;
  if (challenge !== null) {
    const { actual, bid } = challenge;
    const outcome = actual > bid.quantity ? "more" : actual < bid.quantity ? "fewer" : "exact";
    const spoken = `${bid.quantity} × ${faceName(bid.face, symbol, texts.words)}`;
    const named = { bidder: nameOf(shown, bid.seat), challenger: nameOf(shown, challenge.challenger), bid: spoken, actual };
    return texts.say(`round.result-${outcome}`, named);
  }
  if (forfeit !== null) return texts.say(`round.forfeit-${forfeit.reason}`, { name: nameOf(shown, forfeit.seat) });
  return texts.say("round.abandoned");
}

/** @param {Shown} shown */
function resultView(shown) {
  const { round, texts } = shown;
  return h(
    "section",
    { class: "audit-result", "aria-label": texts.say("round.result") },
    h("p", { class: "audit-sentence" }, resultSentence(shown)),
    round.challenge !== null && lineup(shown, round.challenge),
    h("ul", { class: "audit-costs" }, costs(shown).map((cost) => h("li", null, cost))),
  );
}

/** The dice that count in a row, with the bid as a mark: what is missing is a gap, and what is beyond stands behind it.
 * @param {Shown} shown @param {ChallengeReport} challenge */
function lineup({ round, symbol, texts }, { actual, bid, counts }) {
  const counting = round.dice.flatMap(({ dice }) => dice.filter(({ counts: yes }) => yes));
  const ordered = [...counting.filter(({ why }) => why === "face"), ...counting.filter(({ why }) => why === "wild")];
  const [natural, wild] = [sum(counts.map((one) => one.natural)), sum(counts.map((one) => one.wild))];
  const picture = (/** @type {DieReport} */ one, /** @type {number} */ index) => die(one.face, { wild: symbol, words: texts.words, state: one.why === "wild" ? "wild" : "counted", index });
  const tally = texts.say(wild > 0 ? "round.tally-wild" : "round.tally", { natural, wild, actual, quantity: bid.quantity });
  return h(
    "div",
    { class: "audit-lineup" },
    h("div", { class: "audit-bid" }, h("span", { class: "audit-quantity" }, `${bid.quantity} ×`), die(bid.face, { wild: symbol, words: texts.words })),
    h(
      "div",
      { class: "audit-row", role: "img", "aria-label": tally },
      h("span", { class: "audit-row-bid" }, ordered.slice(0, bid.quantity).map(picture), gaps(Math.max(0, bid.quantity - actual))),
      ordered.length > bid.quantity && h("span", { class: "audit-row-beyond" }, ordered.slice(bid.quantity).map(picture)),
    ),
    h("p", { class: "audit-tally" }, tally),
  );
}

/** @param {number} count */
function gaps(count) {
  return Array.from({ length: Math.min(count, 40) }, () => h("span", { class: "audit-gap" }));
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}

/** What the round cost, and who begins the next. @param {Shown} shown @returns {string[]} */
export function costs(shown) {
  const { round, texts } = shown;
  const { challenge, eliminated, nextOpener } = round;
  const lost = (challenge?.losses ?? []).map(({ lost, penalty, seat }) =>
    texts.say(lost < penalty ? "round.lost-all" : "round.lost", { name: nameOf(shown, seat), count: lost, penalty }));
  const pot = challenge?.pot ? [texts.say("round.pot", { name: nameOf(shown, challenge.winner), count: challenge.pot })] : [];
  const out = eliminated.map((seat) => texts.say("round.out", { name: nameOf(shown, seat) }));
  const next = nextOpener === null ? [] : [texts.say("round.next-opener", { name: nameOf(shown, nextOpener) })];
  return [...lost, ...pot, ...out, ...next];
}

/** @param {Shown} shown @param {(clause: string) => string | null} ruleAddress */
function clausesView({ round, texts }, ruleAddress) {
  return h(
    "section",
    { class: "card audit-clauses", "aria-labelledby": `audit-clauses-${round.number}` },
    h("h2", { id: `audit-clauses-${round.number}` }, texts.say("round.by-the-book")),
    h("dl", null, round.clauses.map((clause) => [h("dt", null, clauseName(clause, ruleAddress(clause))), h("dd", null, texts.say(`clause.${clause}`))])),
  );
}

/** @param {string} clause @param {string | null} address */
function clauseName(clause, address) {
  return address === null ? h("span", { class: "tag" }, clause) : h("a", { class: "tag", href: address }, clause);
}
