/** Bars: lying ones with names beside them and intervals over them, or standing ones for how often each thing happened. */

import { h } from "../core/render.js";
import { field, figure } from "./chart.js";
import { round, scaleOf } from "./scale.js";

/** @import {Node_} from "../core/render.js" */
/** @import {Figure} from "./chart.js" */
/** @import {Axis, Scale} from "./scale.js" */

/**
 * @typedef {object} Bar
 * @property {string} name
 * @property {number | null} value null if nothing was measured
 * @property {number} [low] with `high` the ends of the interval
 * @property {number} [high]
 * @property {string} [text] what stands beside the bar; its value if not set
 * @property {string} [note] more about it, small below the name
 * @property {number} [mark] a value to compare with, drawn as a line over this bar
 */

/** @typedef {{bars: Bar[], y: Axis, marked?: string}} Bars `marked` says what the marks are */

/** How wide a standing bar may be, in hundredths of the field. */
const COLUMN_MAX = 14;

/** Lying bars. @param {Figure & Bars} chart @returns {Node_} */
export function barChart(chart) {
  const { bars, y, words } = chart;
  const scale = scaleOf({ min: 0, ...y }, bars.flatMap((bar) => [bar.value ?? 0, bar.high ?? 0, bar.mark ?? 0]), words);
  const written = writer(chart);
  return figure(chart, {
    picture: h("div", { class: "chart-bars", role: "img", "aria-label": chart.summary }, bars.map((bar) => lying(bar, scale, written))),
    table: tableOf(chart, written),
  });
}

/** Standing bars without gaps between them. @param {Figure & Bars & {x: string}} chart @returns {Node_} */
export function columnChart(chart) {
  const { bars, words } = chart;
  const y = scaleOf({ min: 0, ...chart.y }, bars.map((bar) => bar.value ?? 0), words, { ticks: 4 });
  const width = 100 / Math.max(1, bars.length);
  const x = {
    ...scaleOf({ label: chart.x, min: 0, max: bars.length }, [], words),
    ticks: bars.map((_, index) => index + 0.5),
    written: (/** @type {number} */ place) => bars[Math.floor(place)]?.name ?? "",
  };
  const thick = Math.min(width * 0.84, COLUMN_MAX);
  const shapes = bars.map((bar, index) => {
    const height = y.at(bar.value ?? 0);
    return h("rect", { class: "chart-column", x: round((index + 0.5) * width - thick / 2), width: round(thick), y: round(100 - height), height }, h("title", null, `${bar.name}: ${writer(chart)(bar)}`));
  });
  return figure(chart, { picture: field(chart, { x, y, shapes }), table: tableOf(chart, writer(chart)) });
}

/** @param {Bar} bar @param {Scale} scale @param {(bar: Bar) => string} written */
function lying(bar, scale, written) {
  const style = { "--value": scale.at(bar.value ?? 0), "--low": scale.at(bar.low ?? 0), "--high": scale.at(bar.high ?? 0), "--mark": scale.at(bar.mark ?? 0) };
  return h(
    "div",
    { class: ["chart-bar", bar.value === null && "is-empty"], style },
    h("span", { class: "chart-bar-name" }, bar.name, bar.note && h("small", null, bar.note)),
    h(
      "span",
      { class: "chart-bar-field" },
      h("span", { class: "chart-bar-fill" }),
      bar.low !== undefined && bar.high !== undefined && h("span", { class: "chart-whisker" }),
      bar.mark !== undefined && h("span", { class: "chart-bar-mark" }),
    ),
    h("span", { class: "chart-bar-value" }, written(bar)),
  );
}

/** @param {Figure & Bars} chart @returns {(bar: Bar) => string} */
function writer({ y, words }) {
  return (bar) => bar.text ?? (bar.value === null ? "–" : valueWriter(y, words)(bar.value));
}

/** @param {Axis} axis @param {Figure["words"]} words @returns {(value: number) => string} */
function valueWriter(axis, words) {
  return axis.format ?? (axis.kind === "share" ? (value) => words.percent(value) : (value) => words.number(value));
}

/** @param {Figure & Bars} chart @param {(bar: Bar) => string} written */
function tableOf({ bars, y, words, title, marked }, written) {
  const { from, to, name } = words.messages.charts;
  const write = valueWriter(y, words);
  const [spread, compared] = [bars.some((bar) => bar.low !== undefined), bars.some((bar) => bar.mark !== undefined)];
  const cell = (/** @type {number | undefined} */ value) => (value === undefined ? "" : write(value));
  return {
    head: [name, y.label || title, ...(spread ? [from, to] : []), ...(compared ? [marked ?? ""] : [])],
    rows: bars.map((bar) => [bar.name, written(bar), ...(spread ? [cell(bar.low), cell(bar.high)] : []), ...(compared ? [cell(bar.mark)] : [])]),
  };
}
