/** Dice and cups as pictures. Everything is drawn here, in the colours of the page. */

import { h } from "../core/render.js";

/** @import {Node_} from "../core/render.js" */
/** @import {Words} from "../words/words.js" */

/** Where the pips of a face are, on a grid of three by three. @type {Record<number, [number, number][]>} */
const PIPS = {
  1: [[1, 1]],
  2: [[0, 0], [2, 2]],
  3: [[0, 0], [1, 1], [2, 2]],
  4: [[0, 0], [0, 2], [2, 0], [2, 2]],
  5: [[0, 0], [0, 2], [1, 1], [2, 0], [2, 2]],
  6: [[0, 0], [0, 2], [1, 0], [1, 2], [2, 0], [2, 2]],
};

/** The symbols that books have in place of the one. Each is a path on a field of 100 by 100. @type {Record<string, string>} */
const SYMBOLS = {
  star: "M50 14 60.6 37.4 86 40.3 67.1 57.5 72.3 82.6 50 70 27.7 82.6 32.9 57.5 14 40.3 39.4 37.4Z",
  skull:
    "M50 14C30 14 18 28 18 46c0 11 5 18 12 23v9c0 4 3 7 7 7h26c4 0 7-3 7-7v-9c7-5 12-12 12-23C82 28 70 14 50 14Z" +
    "M37 40a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17ZM63 40a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17ZM50 58l5 10H45Z" +
    "M41 74h4v11h-4ZM55 74h4v11h-4Z",
  wheel:
    "M50 20a30 30 0 1 1 0 60 30 30 0 0 1 0-60Zm0 9a21 21 0 1 0 0 42 21 21 0 0 0 0-42ZM50 42a8 8 0 1 1 0 16 8 8 0 0 1 0-16Z" +
    "M57.6 47.4 71.4 47.4 71.4 52.6 57.6 52.6ZM57.2 53.5 67.0 63.3 63.3 67.0 53.5 57.2ZM52.6 57.6 52.6 71.4 47.4 71.4 47.4 57.6ZM46.5 57.2 36.7 67.0 33.0 63.3 42.8 53.5ZM42.4 52.6 28.6 52.6 28.6 47.4 42.4 47.4ZM42.8 46.5 33.0 36.7 36.7 33.0 46.5 42.8ZM47.4 42.4 47.4 28.6 52.6 28.6 52.6 42.4ZM53.5 42.8 63.3 33.0 67.0 36.7 57.2 46.5Z" +
    "M79.6 46.4 91.0 46.4 91.0 53.6 79.6 53.6ZM73.5 68.4 81.5 76.4 76.4 81.5 68.4 73.5ZM53.6 79.6 53.6 91.0 46.4 91.0 46.4 79.6ZM31.6 73.5 23.6 81.5 18.5 76.4 26.5 68.4ZM20.4 53.6 9.0 53.6 9.0 46.4 20.4 46.4ZM26.5 31.6 18.5 23.6 23.6 18.5 31.6 26.5ZM46.4 20.4 46.4 9.0 53.6 9.0 53.6 20.4ZM68.4 26.5 76.4 18.5 81.5 23.6 73.5 31.6Z",
  ace: "M50 12C62 30 84 42 84 60c0 12-9 19-18 19-5 0-9-2-12-5 1 7 4 12 8 15H38c4-3 7-8 8-15-3 3-7 5-12 5-9 0-18-7-18-19 0-18 22-30 34-48Z",
};

/** Symbols whose parts cross each other. */
const OVERLAPPING = new Set(["wheel"]);

/** @typedef {{wild?: string, words: Words, state?: "counted" | "wild" | "dimmed" | "shown" | "chosen" | null, key?: string | number, index?: number}} DieLook */

/** A die; without a face, one that nobody sees here. `wild` is the name of the book's symbol for face 1.
 * @param {number | null} face @param {DieLook} look @returns {Node_} */
export function die(face, { wild = "", words, state = null, key, index = 0 }) {
  const label = face === null ? words.messages.dice.hidden : faceName(face, wild, words);
  return h(
    "svg",
    { class: ["die", face === null && "is-hidden", state && `is-${state}`], viewBox: "0 0 100 100", role: "img", "aria-label": label, key, style: { "--index": index } },
    h("rect", { class: "die-body", x: 4, y: 4, width: 92, height: 92, rx: 20 }),
    face === null ? h("path", { class: "die-secret", d: "M50 30v0" }) : pictured(face, wild),
  );
}

/** What a face is called. @param {number} face @param {string} wild @param {Words} words */
export function faceName(face, wild, words) {
  const names = /** @type {Record<string, string>} */ (words.messages.dice.wild);
  return face === 1 && wild ? names[wild] ?? wild : words.messages.dice.face({ face });
}

/** What is on a face, on a field of 100 by 100. @param {number} face @param {string} wild */
export function pictured(face, wild) {
  const symbol = face === 1 ? SYMBOLS[wild] : undefined;
  if (symbol !== undefined) return h("path", { class: "die-symbol", d: symbol, "fill-rule": OVERLAPPING.has(wild) ? "nonzero" : "evenodd" });
  return (PIPS[face] ?? []).map(([row, column]) => h("circle", { class: "die-pip", cx: 26 + column * 24, cy: 26 + row * 24, r: 9 }));
}

/** A cup upside down over its dice, or lifted. @param {{lifted?: boolean, label?: string}} [look] */
export function cup({ lifted = false, label = "" } = {}) {
  return h(
    "svg",
    { class: ["cup", lifted && "is-lifted"], viewBox: "0 0 120 110", role: label ? "img" : null, "aria-label": label || null, "aria-hidden": label ? null : "true" },
    h("path", { class: "cup-body", d: "M30 14h60l16 84c.6 4-2 7-6 7H20c-4 0-6.600-3-6-7Z" }),
    h("path", { class: "cup-band", d: "M22 82h76M26 34h68" }),
  );
}
