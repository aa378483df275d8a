/** Lines over time or over moves: several series, with a band for what is uncertain, and a cursor that the reader may move. */

import { h } from "../core/render.js";
import { LOOKS, dot, field, figure, legendOf } from "./chart.js";
import { cursor } from "./cursor.js";
import { round, scaleOf } from "./scale.js";

/** @import {Children, Node_} from "../core/render.js" */
/** @import {Figure, Table} from "./chart.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Axis, Scale} from "./scale.js" */

/** @typedef {{x: number, y: number, low?: number, high?: number}} Point with both `low` and `high` a band is drawn between them */
/** @typedef {{name: string, points: Point[]}} Series the points in the order of their x */

/**
 * @typedef {object} Lines
 * @property {Series[]} series up to eight are told apart, by colour and by dashes
 * @property {Axis} x
 * @property {Axis} y
 * @property {boolean} [dots] whether each point is marked; if not set, where there are few
 * @property {boolean} [stepped] whether a value stays until the next one
 * @property {number | null} [at] the x that is shown now
 * @property {{x: number, text: string}[]} [marks] places on the x axis that mean something
 * @property {{y: number, text: string}[]} [levels] heights that mean something
 * @property {(x: number) => void} [onpick] called with the x of the nearest point that the reader picks, by pointer or by keys
 */

const DOTS_MAX = 40;
const STEP_SHIFT = 0.9;

/** What the cursor changes nothing of. @typedef {{words: Words, x: Scale, y: Scale, xs: number[], shapes: Children, ends: {text: string, at: number, look: number}[], table: Table}} Still */

/** What was made of series whose cursor is moved: a reader who drags it sees sixty of these pictures a second. @type {WeakMap<Series[], Still>} */
const kept = new WeakMap();

/** @param {Figure & Lines} chart its series, if there is a cursor, are another array as soon as anything else of it changes @returns {Node_} */
export function lineChart(chart) {
  const { series, words } = chart;
  const known = kept.get(series);
  const still = known?.words === words && chart.onpick ? known : stillOf(chart);
  kept.set(series, still);
  const { ends, shapes, table, x, xs, y } = still;
  return figure(chart, {
    picture: field(chart, {
      x,
      y,
      shapes: [shapes, cursorLine(chart.at ?? null, x)],
      ends,
      over: chart.onpick && xs.length > 0 ? cursor({ xs, scale: x, at: chart.at ?? null, label: chart.title, text: (value) => readout(chart, value), onpick: chart.onpick }) : null,
    }),
    legend: series.length > 1 ? legendOf(series.map((one) => one.name)) : null,
    table,
  });
}

/** @param {Figure & Lines} chart @returns {Still} */
function stillOf(chart) {
  const { series, words } = chart;
  const points = series.flatMap((one) => one.points);
  const x = scaleOf(chart.x, [...points.map((point) => point.x), ...(chart.marks ?? []).map((mark) => mark.x)], words, { snug: true, ticks: 4 });
  const y = scaleOf(chart.y, points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]).concat((chart.levels ?? []).map((level) => level.y)), words);
  const xs = [...new Set(points.map((point) => point.x))].sort((one, other) => one - other);
  const dots = chart.dots ?? points.length <= DOTS_MAX;
  return {
    ...{ words, x, y, xs },
    shapes: [levelsOf(chart.levels ?? [], y), marksOf(chart.marks ?? [], x), series.map((one, index) => drawn(one, index, x, y, { dots, stepped: chart.stepped ?? false }))],
    ends: series.length > 1 ? series.flatMap((one, look) => endOf(one, look, y)) : [],
    table: { head: [chart.x.label, ...headOf(chart)], rows: xs.map((value) => rowOf(chart, value)) },
  };
}

/** Dice over time, and whatever else stays until it changes. @param {Figure & Lines} chart @returns {Node_} */
export function stepChart(chart) {
  return lineChart({ ...chart, stepped: true, dots: chart.dots ?? false, y: { kind: "whole", min: 0, ...chart.y } });
}

/** @param {Series} series @param {number} index @param {Scale} x @param {Scale} y @param {{dots: boolean, stepped: boolean}} look */
function drawn({ name, points }, index, x, y, { dots, stepped }) {
  // Players often have the same number of dice: lines that stay level lie beside each other, not over each other.
  const shift = stepped ? (index % LOOKS) * STEP_SHIFT : 0;
  const places = points.map((point) => /** @type {[number, number]} */ ([x.at(point.x), round(100 - y.at(point.y) - shift)]));
  return h(
    "g",
    { class: `chart-series is-look-${index % LOOKS}`, key: index },
    h("title", null, name),
    bandOf(points, x, y),
    h("path", { class: "chart-line", d: pathOf(places, stepped) }),
    (dots || points.length === 1) && places.map(([left, top]) => dot(left, round(100 - top))),
  );
}

/** @param {[number, number][]} places @param {boolean} stepped */
function pathOf(places, stepped) {
  return places.map(([left, top], index) => (index === 0 ? `M${left} ${top}` : stepped ? `H${left}V${top}` : `L${left} ${top}`)).join("");
}

/** @param {Point[]} points @param {Scale} x @param {Scale} y @returns {Children} */
function bandOf(points, x, y) {
  const known = points.filter((point) => point.low !== undefined && point.high !== undefined);
  if (known.length < 2) return null;
  const above = known.map((point) => `${x.at(point.x)} ${round(100 - y.at(point.high ?? point.y))}`);
  const below = known.map((point) => `${x.at(point.x)} ${round(100 - y.at(point.low ?? point.y))}`).reverse();
  return h("path", { class: "chart-band", d: `M${[...above, ...below].join("L")}Z` });
}

/** @param {{x: number, text: string}[]} marks @param {Scale} x */
function marksOf(marks, x) {
  return marks.map((mark) => h("g", { class: "chart-mark" }, h("title", null, mark.text), h("path", { d: `M${x.at(mark.x)} 0V100` })));
}

/** @param {{y: number, text: string}[]} levels @param {Scale} y */
function levelsOf(levels, y) {
  return levels.map((level) => h("g", { class: "chart-mark" }, h("title", null, level.text), h("path", { d: `M0 ${round(100 - y.at(level.y))}H100` })));
}

/** @param {number | null} at @param {Scale} x @returns {Children} */
function cursorLine(at, x) {
  return at !== null && at >= x.min && at <= x.max && h("path", { class: "chart-cursor", d: `M${x.at(at)} 0V100` });
}

/** @param {Series} series @param {number} look @param {Scale} y */
function endOf({ name, points }, look, y) {
  const last = points.at(-1);
  return last === undefined ? [] : [{ text: name, at: y.at(last.y), look }];
}

/** @param {Figure & Lines} chart @param {number} value */
function readout(chart, value) {
  const [x = "", ...cells] = rowOf(chart, value);
  return `${x}: ${headOf(chart).map((name, index) => `${name} ${cells[index] || "–"}`).join(", ")}`;
}

/** @param {Figure & Lines} chart */
function headOf({ series, y, words }) {
  const banded = series.some((one) => one.points.some((point) => point.low !== undefined));
  const { from, to } = words.messages.charts;
  return series.flatMap((one) => [series.length === 1 ? y.label : one.name, ...(banded ? [from, to] : [])]);
}

/** @param {Figure & Lines} chart @param {number} value */
function rowOf({ series, x, y, words, stepped }, value) {
  const banded = series.some((one) => one.points.some((point) => point.low !== undefined));
  const writeX = x.format ?? (x.kind === "time" ? (/** @type {number} */ one) => words.time(one) : (/** @type {number} */ one) => words.number(one));
  const writeY = y.format ?? (y.kind === "share" ? (/** @type {number} */ one) => words.percent(one) : (/** @type {number} */ one) => words.number(one));
  const cell = (/** @type {number | undefined} */ one) => (one === undefined ? "" : writeY(one));
  const cells = series.flatMap(({ points }) => {
    const point = stepped ? points.findLast((one) => one.x <= value) : points.find((one) => one.x === value);
    return [cell(point?.y), ...(banded ? [cell(point?.low), cell(point?.high)] : [])];
  });
  return [writeX(value), ...cells];
}
