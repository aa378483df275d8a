/** Where judgement goes wrong: regret by the dice that are left, doubts by the chance of the bid, and the luck that came with it. */

import { lineChart } from "../charts/line_chart.js";
import { h } from "../core/render.js";
import { number, percent, points, whole } from "./written.js";

/** @import {Children} from "../core/render.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Group, Groups} from "./types.js" */

/** Groups by chance are called after the low ends of their bins. */
const HALF_A_BIN = 0.05;
const EVEN = 0.5;

/** @param {Words} words @param {Groups} groups */
export function whereItGoesWrong(words, { dice, doubts }) {
  const texts = words.messages.statistics;
  return h(
    "section",
    { class: "card where-section" },
    h("h2", null, texts.whereTitle),
    h("div", { class: "two-charts" }, told(texts.regretLead, regretChart(words, dice), texts.regretNone), told(texts.doubtLead, doubtChart(words, doubts), texts.doubtNone)),
  );
}

/** @param {Words} words @param {Groups} groups */
export function luckLine(words, { games, gamesMore }) {
  const texts = words.messages.statistics;
  return h(
    "section",
    { class: "card luck-section" },
    told(texts.luckLineLead, luckChart(words, games), texts.luckNone),
    gamesMore && h("p", { class: "soft small" }, texts.luckNewest({ count: whole(words, games.length) })),
  );
}

/** @param {string} lead @param {Children} chart @param {string} otherwise */
function told(lead, chart, otherwise) {
  return h("div", { class: "told-chart" }, chart ?? h("p", { class: "soft" }, otherwise), chart !== null && h("p", { class: "soft small" }, lead));
}

/** @param {Words} words @param {Group[]} groups */
function regretChart(words, groups) {
  const texts = words.messages.statistics;
  const known = groups.flatMap(({ group, regret }) => (regret.mean === null ? [] : [{ x: Number(group), y: regret.mean, ...ends(regret.low, regret.high) }]));
  const worst = known.reduce((/** @type {{x: number, y: number} | null} */ most, one) => (most === null || one.y > most.y ? one : most), null);
  if (worst === null) return null;
  return lineChart({
    words,
    title: texts.regretTitle,
    summary: texts.regretSummary({ dice: whole(words, worst.x), regret: points(words, worst.y) }),
    series: [{ name: texts.regretAxis, points: known }],
    x: { label: texts.diceLeftAxis, kind: "whole" },
    y: { label: texts.regretAxis, kind: "share", min: 0, format: (share) => percent(words, share) },
  });
}

/** @param {Words} words @param {Group[]} groups */
function doubtChart(words, groups) {
  const texts = words.messages.statistics;
  const known = groups.flatMap(({ group, doubts: { rate, low, high } }) => (rate === null ? [] : [{ x: Number(group) + HALF_A_BIN, y: rate, ...ends(low, high) }]));
  if (known.length === 0) return null;
  const share = (/** @type {(chance: number) => boolean} */ isMeant) => {
    const meant = groups.filter(({ group }) => isMeant(Number(group) + HALF_A_BIN)).map(({ doubts }) => doubts);
    return percent(words, sum(meant.map((one) => one.count)) / (sum(meant.map((one) => one.out_of)) || 1));
  };
  return lineChart({
    words,
    title: texts.doubtTitle,
    summary: texts.doubtSummary({ false: share((chance) => chance < EVEN), true: share((chance) => chance >= EVEN) }),
    series: [{ name: texts.doubtAxis, points: known }],
    x: { label: texts.standingAxis, kind: "share", min: 0, max: 1, format: (chance) => words.percent(chance) },
    y: { label: texts.doubtAxis, kind: "share", min: 0, max: 1 },
    marks: [{ x: EVEN, text: texts.evenMark }],
  });
}

/** @param {Words} words @param {Group[]} games the oldest first */
function luckChart(words, games) {
  const texts = words.messages.statistics;
  let [total, variance] = [0, 0];
  const line = games.filter(({ dice_luck: luck }) => luck !== null && luck.count > 0).map(({ dice_luck: luck }, index) => {
    total += (luck?.actual ?? 0) - (luck?.expected ?? 0);
    // Variances add up, and so do the squares of half intervals.
    variance += (((luck?.high ?? 0) - (luck?.low ?? 0)) / 2) ** 2;
    return { x: index + 1, y: total, low: -Math.sqrt(variance), high: Math.sqrt(variance) };
  });
  if (line.length === 0) return null;
  const written = (/** @type {number} */ dice) => `${dice > 0 ? "+" : ""}${number(words, dice)}`;
  return lineChart({
    words,
    title: texts.luckTitle,
    summary: texts.luckSummary({ games: whole(words, line.length), dice: written(total) }),
    series: [{ name: texts.luckAxis, points: line }],
    x: { label: texts.gamesAxis, kind: "whole" },
    y: { label: texts.luckAxis, format: written },
    levels: [{ y: 0, text: texts.averageMark }],
  });
}

/** @param {number | null} low @param {number | null} high */
function ends(low, high) {
  return low === null || high === null ? {} : { low: Math.max(0, low), high };
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((all, one) => all + one, 0);
}
