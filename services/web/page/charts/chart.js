/**
 * What all charts share: the figure with its title, axes, legend and table.
 *
 * Shapes are drawn on a field of 100 by 100 that is stretched to the width there is, while lines keep their strength. Texts lie over it
 * as ordinary texts, so that they keep their size on every screen. The picture has a summary for screen readers, and a
 * table with all its numbers lies below it.
 */

import { h } from "../core/render.js";

/** @import {Children, Node_} from "../core/render.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Scale} from "./scale.js" */

/** @typedef {{head: string[], rows: string[][]}} Table the first cell of a row is its name */

/**
 * @typedef {object} Figure what every chart is told
 * @property {Words} words
 * @property {string} title
 * @property {string} summary what the picture says, in a sentence
 * @property {number} [height] in rem
 * @property {boolean} [untitled] whether the title stands elsewhere already; then only the table is called so
 */

/** How many series are told apart; the next one looks like the first. */
export const LOOKS = 8;

/** The whole figure. @param {Figure} figure @param {{picture: Children, legend?: Children, table: Table}} parts @returns {Node_} */
export function figure({ words, title, untitled = false }, { picture, legend = null, table }) {
  return h(
    "figure",
    { class: "chart" },
    !untitled && h("figcaption", { class: "chart-title" }, title),
    picture,
    legend,
    h("details", { class: "chart-data" }, h("summary", null, words.messages.charts.asTable), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, dataTable(title, table))),
  );
}

/**
 * The field of a chart with its axes. `ends` are texts at the right end of lines, at heights in hundredths from below.
 * @param {Figure} figure @param {{x: Scale, y: Scale, shapes: Children, ends?: {text: string, at: number, look: number}[], over?: Children}} parts
 */
export function field({ summary, height = 15 }, { x, y, shapes, ends = [], over = null }) {
  const axisLetters = Math.max(...y.ticks.map((tick) => y.written(tick).length), 1);
  const endLetters = Math.min(14, Math.max(...ends.map((end) => end.text.length), 0));
  return h(
    "div",
    { class: ["chart-body", ends.length > 0 && "has-ends"], style: { "--chart-height": `${height}rem`, "--axis-letters": axisLetters, "--end-letters": endLetters } },
    h("div", { class: "chart-y-label", "aria-hidden": "true" }, y.label),
    h("div", { class: "chart-y", "aria-hidden": "true" }, y.ticks.map((tick) => h("span", { style: { "--at": y.at(tick) } }, y.written(tick)))),
    h(
      "div",
      { class: "chart-area" },
      h("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img", "aria-label": summary }, grid(x, y), shapes),
      over,
    ),
    h("div", { class: "chart-ends", "aria-hidden": "true" }, apart(ends, height).map((end) => h("span", { class: `is-look-${end.look % LOOKS}`, style: { "--at": end.at } }, end.text))),
    h("div", { class: ["chart-x", x.ticks.length > 8 && "is-crowded"], "aria-hidden": "true" }, x.ticks.map((tick) => h("span", { class: edge(x.at(tick), x.written(tick)), style: { "--at": x.at(tick) } }, x.written(tick)))),
    h("div", { class: "chart-x-label", "aria-hidden": "true" }, x.label),
  );
}

/** Names of series with their looks. @param {string[]} names */
export function legendOf(names) {
  return h("ul", { class: "chart-legend", "aria-hidden": "true" }, names.map((name, look) => h(
    "li",
    { class: `is-look-${look % LOOKS}` },
    h("svg", { viewBox: "0 0 28 8" }, h("path", { class: "chart-line", d: "M0 4H28" })),
    name,
  )));
}

/** A point that stays round however the field is stretched. @param {number} x @param {number} y @param {string} [name] of a class @param {Record<string, string | number>} [style] */
export function dot(x, y, name = "chart-dot", style = {}) {
  return h("path", { class: name, d: `M${x} ${100 - y}h0`, style });
}

/** @param {Scale} x @param {Scale} y */
function grid(x, y) {
  return [
    y.ticks.map((tick) => h("path", { class: "chart-grid", d: `M0 ${100 - y.at(tick)}H100` })),
    x.ticks.map((tick) => h("path", { class: "chart-tick", d: `M${x.at(tick)} 100V98` })),
    h("path", { class: "chart-axis", d: "M0 100H100" }),
  ];
}

/** A long text at an end of the axis stays inside. @param {number} at @param {string} text */
function edge(at, text) {
  return text.length < 5 ? null : at < 6 ? "is-first" : at > 94 ? "is-last" : null;
}

/** Move texts that would lie over each other. @template {{at: number}} End @param {End[]} ends @param {number} height @returns {End[]} */
function apart(ends, height) {
  const distance = (1.15 / height) * 100;
  const sorted = ends.map((end) => ({ ...end })).sort((one, other) => one.at - other.at);
  for (const [index, end] of sorted.entries()) end.at = Math.max(end.at, (sorted[index - 1]?.at ?? -Infinity) + distance);
  let limit = 100;
  for (const end of sorted.reverse()) {
    end.at = Math.round(Math.min(end.at, limit) * 100) / 100;
    limit = end.at - distance;
  }
  return sorted;
}

/** The same table is drawn once. @type {WeakMap<Table, Node_>} */
const drawnTables = new WeakMap();

/** @param {string} title @param {Table} table */
function dataTable(title, table) {
  const drawn = drawnTables.get(table) ?? tableNode(title, table);
  drawnTables.set(table, drawn);
  return drawn;
}

/** @param {string} title @param {Table} table */
function tableNode(title, { head, rows }) {
  return h(
    "table",
    null,
    h("caption", { class: "unseen" }, title),
    h("thead", null, h("tr", null, head.map((text, index) => h("th", { scope: "col", class: index > 0 && "figure" }, text)))),
    h("tbody", null, rows.map(([name = "", ...cells]) => h("tr", null, h("th", { scope: "row" }, name), cells.map((text) => h("td", { class: "figure" }, text))))),
  );
}
