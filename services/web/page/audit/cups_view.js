/** Every die of every seat, and why it counts or not. */

import { h } from "../core/render.js";
import { die } from "../dice/die.js";
import { nameOf } from "./shown_round.js";

/** @import {CupReport, DieReport} from "../verifier/report.js" */
/** @import {Shown} from "./shown_round.js" */

/** How a die is drawn. @type {Record<DieReport["why"], "counted" | "wild" | "dimmed">} */
const STATES = { face: "counted", wild: "wild", "wild-is-plain": "dimmed", "another-face": "dimmed", "not-counted": "dimmed" };

/** @param {Shown} shown */
export function cupsView(shown) {
  const { round, texts } = shown;
  return h(
    "section",
    { class: "audit-cups", "aria-labelledby": `audit-cups-${round.number}` },
    h("div", { class: "audit-cups-head" }, h("h2", { id: `audit-cups-${round.number}` }, texts.say("round.every-die")), legend(shown)),
    h("div", { class: "audit-cup-list" }, round.dice.map((cup) => cupView(shown, cup))),
  );
}

/** What the three looks of a die mean. @param {Shown} shown */
function legend({ round, texts }) {
  const seen = new Set(round.dice.flatMap(({ dice }) => dice.map(({ why }) => why)));
  const whys = /** @type {DieReport["why"][]} */ (Object.keys(STATES)).filter((why) => seen.has(why));
  return h("ul", { class: "audit-legend", "aria-hidden": "true" }, whys.map((why) => h("li", null, h("span", { class: `audit-mark is-${STATES[why]}` }), `${texts.say(`short.${why}`)}: ${texts.say(`die.${why}`)}`)));
}

/** @param {Shown} shown @param {CupReport} cup */
function cupView(shown, { dice, seat }) {
  const { round, texts } = shown;
  const { bid, challenger, counts } = round.challenge ?? { bid: null, challenger: null, counts: [] };
  const { natural = 0, wild = 0 } = counts.find((one) => one.seat === seat) ?? {};
  const role = bid?.seat === seat ? "bidder" : challenger === seat ? "challenger" : null;
  return h(
    "article",
    { class: "audit-cup", key: seat },
    h(
      "header",
      null,
      h("h3", null, nameOf(shown, seat)),
      role !== null && h("span", { class: ["tag", `is-${role}`] }, texts.say(`round.${role}`)),
      round.challenge !== null && h("span", { class: "audit-cup-count", "aria-label": texts.say("round.counts-here", { count: natural + wild }) }, `+${natural + wild}`),
    ),
    h("ul", { class: "audit-dice" }, dice.map((one, index) => dieView(shown, one, index))),
  );
}

/** @param {Shown} shown @param {DieReport} one @param {number} index */
function dieView({ symbol, texts }, { clause, face, shown, why }, index) {
  const reason = `${texts.say(`die.${why}`)}${clause === null ? "" : ` (${clause})`}${shown ? `, ${texts.say("round.shown")}` : ""}`;
  return h(
    "li",
    { class: ["audit-die", shown && "is-shown"], title: reason, "data-why": why, "data-face": face },
    die(face, { wild: symbol, words: texts.words, state: STATES[why], index }),
    h("span", { class: "audit-why", "aria-hidden": "true" }, texts.say(`short.${why}`)),
    h("span", { class: "unseen" }, reason),
  );
}
