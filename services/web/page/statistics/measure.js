/** One number with everything that it takes to read it: its interval, what was counted, and what it means. */

import { h } from "../core/render.js";
import { number, percent, range, whole } from "./written.js";

/** @import {Children} from "../core/render.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Expectation, Mean, Rate, Rating} from "./types.js" */

/** @typedef {keyof Words["messages"]["statistics"]["measures"]} Name as in `measures` of the texts, and in the server's answer */
/** @typedef {{value: string | null, range?: string | null, basis?: Children}} Written */

/** @param {Words} words @param {Name} name @param {Written} written */
export function measure(words, name, { value, range: interval = null, basis = null }) {
  const texts = words.messages.statistics;
  return h(
    "div",
    { class: ["measure", value === null && "is-empty"], "data-measure": name, key: name },
    h("h2", { class: "measure-name" }, texts.measures[name].name, explained(words, name)),
    h("p", { class: "measure-value" }, value ?? "–"),
    interval !== null && h("p", { class: "measure-range" }, interval),
    h("p", { class: "measure-basis" }, value === null ? texts.nothingCounted : basis),
  );
}

/** The sign that opens a definition; `place` tells two for the same number apart. @param {Words} words @param {Name} name @param {string} [place] @returns {Children} */
export function explained(words, name, place = "measure") {
  const texts = words.messages.statistics;
  const { name: title, told } = texts.measures[name];
  return [
    h("button", { class: "plain explain", type: "button", popovertarget: `${place}-${name}`, "aria-label": texts.meaning({ name: title }) }, "?"),
    h("div", { class: "told", id: `${place}-${name}`, popover: "auto", role: "note" }, h("strong", null, title), h("p", null, told)),
  ];
}

/** @param {Words} words @param {Name} name @param {Rate} rate @param {Children} [more] */
export function rateMeasure(words, name, rate, more = null) {
  return measure(words, name, { value: rate.rate === null ? null : percent(words, rate.rate), range: range(words, rate, percent), basis: [outOf(words, rate), more] });
}

/** @param {Words} words @param {Name} name @param {Mean} mean @param {(words: Words, value: number) => string} write */
export function meanMeasure(words, name, mean, write) {
  const basis = words.messages.statistics.values({ count: mean.count, text: whole(words, mean.count) });
  return measure(words, name, { value: mean.mean === null ? null : write(words, mean.mean), range: range(words, mean, write), basis });
}

/** @param {Words} words @param {Rating | null} rating */
export function ratingMeasure(words, rating) {
  const texts = words.messages.statistics;
  if (rating === null) return measure(words, "rating", { value: null });
  return measure(words, "rating", {
    value: number(words, rating.mu),
    range: range(words, ratingRange(rating), number),
    basis: texts.gamesCount({ count: rating.games, text: whole(words, rating.games) }),
  });
}

/** Three times the uncertainty to both sides, as on leaderboards. @param {Rating} rating */
export function ratingRange({ mu, sigma, ordinal }) {
  return { low: ordinal, high: mu + 3 * sigma };
}

/** @param {Words} words @param {Rate} rate */
export function outOf(words, rate) {
  return words.messages.statistics.outOf({ count: whole(words, rate.count), outOf: whole(words, rate.out_of) });
}

/** What happened beside what chance gives. @param {Words} words @param {Name} name @param {Expectation} sum @param {{above: string, within: string, below: string}} verdicts */
export function expectationMeasure(words, name, sum, verdicts) {
  const texts = words.messages.statistics;
  const write = (/** @type {number} */ value) => number(words, value);
  const told = texts.expectation({ actual: whole(words, sum.actual), expected: write(sum.expected), low: write(sum.low), high: write(sum.high) });
  const empty = sum.count === 0;
  return h(
    "div",
    { class: ["measure", "is-expectation", empty && "is-empty"], "data-measure": name, key: name },
    h("h2", { class: "measure-name" }, texts.measures[name].name, explained(words, name)),
    h("p", { class: "measure-verdict" }, empty ? "–" : verdicts[verdictOf(sum)]),
    !empty && expectationPicture(sum, words, told),
    h("p", { class: "measure-range" }, empty ? null : told),
    h("p", { class: "measure-basis" }, empty ? texts.nothingCounted : texts.values({ count: sum.count, text: whole(words, sum.count) })),
  );
}

/** @param {Expectation} sum @returns {"above" | "within" | "below"} */
export function verdictOf({ actual, low, high }) {
  return actual < low ? "below" : actual > high ? "above" : "within";
}

/** @param {Expectation} sum @param {Words} words @param {string} told */
function expectationPicture({ expected, actual, low, high }, words, told) {
  const [from, to] = [Math.min(low, actual), Math.max(high, actual)];
  const pad = (to - from || 1) * 0.12;
  const at = (/** @type {number} */ value) => Math.round(((value - from + pad) / (to - from + 2 * pad)) * 10_000) / 100;
  const { expectedShare, inFact } = words.messages.statistics;
  return h(
    "div",
    { class: "expectation", role: "img", "aria-label": told, style: { "--low": at(low), "--high": at(high), "--expected": at(expected), "--actual": at(actual) } },
    h("span", { class: "expectation-range" }),
    h("span", { class: "expectation-mean" }, h("small", null, expectedShare)),
    h("span", { class: "expectation-actual" }, h("small", null, inFact)),
  );
}
