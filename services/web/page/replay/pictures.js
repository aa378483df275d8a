/** Pictures of a game: the odds of the standing bid over a round, and the dice of each player over the game. */

import { lineChart, stepChart } from "../charts/line_chart.js";
import { h } from "../core/render.js";
import { oddsSeen } from "./table_view.js";

/** @import {Children} from "../core/render.js" */
/** @import {Point, Series} from "../charts/line_chart.js" */
/** @import {Words} from "../words/words.js" */
/** @import {PlayedRound, Recording} from "./recording.js" */
/** @import {Eyes} from "./types.js" */
/** @import {Walk} from "./walk.js" */

/** @param {Walk} walk @param {Words} words @returns {Children} */
export function oddsPicture(walk, words) {
  const { recording, position } = walk;
  const texts = words.messages.replay;
  const round = recording.roundAt(position.step);
  const series = round === null ? [] : oddsSeries(recording, round, position.eyes, texts.everybody);
  if (round === null || series.length === 0) return [h("p", { class: "chart-title" }, texts.oddsTitle), h("p", { class: "soft" }, texts.oddsNone)];
  return lineChart({
    words,
    title: texts.oddsTitle,
    summary: texts.oddsSummary({ number: round.number }),
    series,
    x: { label: texts.step, kind: "whole" },
    y: { label: texts.chanceAxis, kind: "share", min: 0, max: 1 },
    at: position.step,
    onpick: (step) => walk.to(step),
  });
}

/** @param {Walk} walk @param {Words} words @returns {Children} */
export function dicePicture(walk, words) {
  const { recording, position } = walk;
  const texts = words.messages.replay;
  if (recording.rounds.length === 0) return null;
  return stepChart({
    words,
    title: texts.diceTitle,
    summary: texts.diceSummary({ names: words.list(recording.players.map((player) => player.name)) }),
    series: diceSeries(recording),
    x: { label: texts.step, kind: "whole" },
    y: { label: texts.dice, kind: "whole", min: 0 },
    at: position.step,
    onpick: (step) => walk.to(step),
  });
}

/** The odds of the last round that was drawn. @type {{of: unknown[], series: Series[]}} */
let shown = { of: [], series: [] };

/** The same series for every step of a round. @param {Recording} recording @param {PlayedRound} round @param {Eyes} eyes @param {string} everybody @returns {Series[]} */
function oddsSeries(recording, round, eyes, everybody) {
  const of = [recording, round, eyes, everybody];
  if (of.some((one, index) => one !== shown.of[index])) shown = { of, series: oddsOf(recording, round, eyes, everybody) };
  return shown.series;
}

/** @param {Recording} recording @param {PlayedRound} round @param {Eyes} eyes @param {string} everybody @returns {Series[]} */
function oddsOf(recording, round, eyes, everybody) {
  /** @type {Point[]} */
  const open = [];
  /** @type {Point[][]} */
  const seats = recording.players.map(() => []);
  for (const { version, odds } of recording.steps.slice(round.first - 1, round.last)) {
    const seen = oddsSeen(odds, eyes);
    if (seen === null) continue;
    open.push({ x: version, y: seen.public });
    for (const [seat, chance] of seen.seats.entries()) if (chance !== null) seats[seat]?.push({ x: version, y: chance });
  }
  // The seats keep their looks from round to round, also when one of them is out.
  const own = recording.players.map((player, seat) => ({ name: player.name, points: seats[seat] ?? [] }));
  return open.length === 0 ? [] : [...own, { name: everybody, points: open }].filter((one) => one.points.length > 0);
}

/** @type {WeakMap<Recording, Series[]>} */
const counted = new WeakMap();

/** @param {Recording} recording @returns {Series[]} */
function diceSeries(recording) {
  const known = counted.get(recording);
  if (known !== undefined) return known;
  const series = recording.players.map((player, seat) => ({ name: player.name, points: dicePoints(recording, seat) }));
  counted.set(recording, series);
  return series;
}

/** @param {Recording} recording @param {number} seat @returns {Point[]} */
function dicePoints({ states, rounds, last }, seat) {
  /** @type {Point[]} */
  const points = [];
  for (const { first, last: end } of rounds) {
    for (const step of [first, end]) points.push({ x: step, y: states[step]?.standing?.diceCounts[seat] ?? 0 });
  }
  return [...points, { x: last, y: states[last]?.standing?.diceCounts[seat] ?? 0 }].filter((point, index, all) => point.x !== all[index - 1]?.x);
}
