/** Chances beside what happened: points near the diagonal come from somebody who sees the odds rightly. */

import { h } from "../core/render.js";
import { dot, field, figure } from "./chart.js";
import { round, scaleOf } from "./scale.js";

/** @import {Node_} from "../core/render.js" */
/** @import {Figure} from "./chart.js" */

/** @typedef {{x: number, y: number, low?: number, high?: number, count: number}} Spot chances from 0 to 1; bigger where it counts more */
/** @typedef {{points: Spot[], x: string, y: string, count: string, format?: (share: number) => string}} Calibration what the axes and the numbers of a point are called, and how the table writes chances */

/** @param {Figure & Calibration} chart @returns {Node_} */
export function calibrationChart(chart) {
  const { points, words } = chart;
  const [x, y] = [chart.x, chart.y].map((label) => scaleOf({ label, kind: "share", min: 0, max: 1 }, [], words, { ticks: 5 }));
  if (x === undefined || y === undefined) throw new Error("a chart has two axes");
  const most = Math.max(...points.map((point) => point.count), 1);
  const spots = points.map((point) => [
    point.low !== undefined && point.high !== undefined && h("path", { class: "chart-spread", d: `M${x.at(point.x)} ${round(100 - y.at(point.low))}V${round(100 - y.at(point.high))}` }),
    dot(x.at(point.x), y.at(point.y), "chart-spot", { "--weight": round(Math.sqrt(point.count / most)) }),
  ]);
  const { from, to } = words.messages.charts;
  const share = (/** @type {number | undefined} */ value) => (value === undefined ? "" : (chart.format ?? ((one) => words.percent(one)))(value));
  return figure(chart, {
    picture: field(chart, { x, y, shapes: [h("path", { class: "chart-diagonal", d: "M0 100L100 0" }), h("g", { class: "is-look-0" }, spots)] }),
    table: {
      head: [chart.x, chart.y, from, to, chart.count],
      rows: points.map((point) => [share(point.x), share(point.y), share(point.low), share(point.high), words.number(point.count)]),
    },
  });
}
