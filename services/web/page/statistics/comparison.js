/** What two players look like side by side. */

import { lineChart } from "../charts/line_chart.js";
import { h } from "../core/render.js";
import { explained, outOf, ratingRange } from "./measure.js";
import { ratingPoints } from "./rating_section.js";
import { isStrategy } from "./identity.js";
import { empty } from "./states.js";
import { number, percent, points, range, seconds, whole } from "./written.js";

/** @import {Children} from "../core/render.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Mean, Meeting, Rate, RatingPoint, Statistics} from "./types.js" */
/** @import {Name} from "./measure.js" */

/** @typedef {{playerId: string, name: string | null, statistics: Statistics, ratings: RatingPoint[]}} Compared */
/** @typedef {{value: string, small: (string | null)[]}} Cell */

/** @param {Words} words @param {[Compared, Compared]} sides @param {[Meeting, Meeting]} meetings each from one side @returns {Children} */
export function comparison(words, sides, meetings) {
  const texts = words.messages.statistics;
  return [
    meetings[0].games === 0 ? empty(texts.neverMet, texts.neverMetHint) : together(words, sides, meetings),
    h("section", { class: "card" }, h("h2", null, texts.sideBySide), sideBySide(words, sides)),
    sides.some((side) => side.ratings.length > 0) && h("section", { class: "card" }, ratingChart(words, sides)),
  ];
}

/** @param {Words} words @param {[Compared, Compared]} sides @param {[Meeting, Meeting]} meetings */
function together(words, sides, meetings) {
  const texts = words.messages.statistics;
  const { games, ahead, level, behind } = meetings[0];
  const [first, second] = [nameOf(sides[0]), nameOf(sides[1])];
  const parts = /** @type {const} */ ([["is-ahead", ahead.count, texts.ahead({ name: first })], ["is-level", level, texts.level], ["is-behind", behind, texts.ahead({ name: second })]]);
  const summary = texts.sharesSummary({ first, second, ahead: whole(words, ahead.count), level: whole(words, level), behind: whole(words, behind) });
  return h(
    "section",
    { class: "card" },
    h("h2", { "data-measure": "games" }, texts.together({ count: games, text: whole(words, games) })),
    h("div", { class: "shares", role: "img", "aria-label": summary }, parts.map(([name, count]) => count > 0 && h("span", { class: ["share", name], key: name, style: { "--share": count } }, whole(words, count)))),
    h("ul", { class: "shares-legend" }, parts.map(([name, count, text]) => h("li", { "data-measure": name.slice(3) }, h("span", { class: ["swatch", name] }), text, " ", h("strong", null, whole(words, count))))),
    h("h3", null, texts.duels),
    sideTable(words, sides, [
      ["ahead", texts.shares, meetings.map((one) => rateCell(words, one.ahead))],
      ["challenges_won", texts.measures.challenges_won.name, meetings.map((one) => rateCell(words, one.challenges_won))],
      ["bids_held", texts.measures.bids_held.name, meetings.map((one) => rateCell(words, one.bids_held))],
    ]),
    sides.some((side) => isStrategy(side.playerId)) && h("p", { class: "soft small" }, texts.metNote),
  );
}

/** @param {Words} words @param {[Compared, Compared]} sides */
function sideBySide(words, sides) {
  const texts = words.messages.statistics;
  const row = (/** @type {Name} */ name, /** @type {(statistics: Statistics) => Cell} */ cell) => /** @type {Row} */ ([name, [texts.measures[name].name, explained(words, name)], sides.map(({ statistics }) => cell(statistics))]);
  const rate = (/** @type {"wins" | "challenges_won" | "bids_held" | "bluffs" | "bluffs_caught" | "best_decisions"} */ name) => row(name, (statistics) => rateCell(words, statistics[name]));
  return sideTable(words, sides, [
    row("rating", ({ rating }) => (rating === null ? emptyCell(words) : { value: number(words, rating.mu), small: [range(words, ratingRange(rating), number)] })),
    row("games", ({ games }) => ({ value: whole(words, games), small: [] })),
    rate("wins"),
    rate("challenges_won"),
    rate("bids_held"),
    rate("best_decisions"),
    row("regret", ({ regret }) => meanCell(words, regret, points)),
    rate("bluffs"),
    rate("bluffs_caught"),
    row("risk", ({ risk }) => meanCell(words, risk, percent)),
    row("move_seconds", ({ move_seconds }) => meanCell(words, move_seconds, seconds)),
  ]);
}

/** @typedef {[string, Children, Cell[]]} Row */

/** @param {Words} words @returns {Cell} */
function emptyCell(words) {
  return { value: "–", small: [words.messages.statistics.nothingCounted] };
}

/** @param {Words} words @param {[Compared, Compared]} sides @param {Row[]} rows */
function sideTable(words, sides, rows) {
  return h(
    "table",
    { class: "side-table" },
    h("thead", null, h("tr", null, h("td", null), sides.map((side) => h("th", { scope: "col" }, nameOf(side))))),
    h("tbody", null, rows.map(([key, name, cells]) => h(
      "tr",
      { key, "data-measure": key },
      h("th", { scope: "row" }, h("span", { class: "side-measure" }, name)),
      cells.map((cell) => h("td", null, h("strong", { class: "side-value" }, cell.value), cell.small.filter((text) => text !== null).map((text) => h("small", null, text)))),
    ))),
  );
}

/** @param {Words} words @param {Rate} rate @returns {Cell} */
function rateCell(words, rate) {
  return rate.rate === null ? emptyCell(words) : { value: percent(words, rate.rate), small: [range(words, rate, percent), outOf(words, rate)] };
}

/** @param {Words} words @param {Mean} mean @param {(words: Words, value: number) => string} write @returns {Cell} */
function meanCell(words, mean, write) {
  const text = words.messages.statistics.values({ count: mean.count, text: whole(words, mean.count) });
  return mean.mean === null ? emptyCell(words) : { value: write(words, mean.mean), small: [range(words, mean, write), text] };
}

/** @param {Words} words @param {[Compared, Compared]} sides */
function ratingChart(words, sides) {
  const texts = words.messages.statistics;
  const series = sides.map((side) => ({ name: nameOf(side), points: ratingPoints(side.ratings, "time") }));
  const write = (/** @type {number} */ value) => number(words, value);
  return lineChart({
    words, title: texts.ratingOverTime, summary: `${texts.ratingOverTime}: ${series.map(({ name, points: all }) => `${name} ${write(all.at(-1)?.y ?? 25)}`).join(", ")}`,
    series, x: { label: texts.ratingAxis.time, kind: "time" }, y: { label: texts.ratingTitle, format: write }, dots: false,
  });
}

/** @param {Compared} side */
function nameOf(side) {
  return side.name ?? side.playerId;
}
