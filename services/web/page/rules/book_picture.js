/** A small picture for each book: what is special about it, on felt. */

import { pictured } from "../dice/die.js";
import { h } from "../core/render.js";

/** @import {Children, Node_} from "../core/render.js" */

/** @typedef {{x: number, y: number, size: number, turn?: number, face: number, wild?: string}} Laid */

/** A die that lies in a picture; its middle is at x and y. @param {Laid} laid */
export function laidDie({ x, y, size, turn = 0, face, wild = "" }) {
  return h(
    "g",
    { transform: `translate(${x} ${y}) rotate(${turn}) scale(${size / 100}) translate(-50 -50)` },
    h("rect", { class: "picture-shade", x: 8, y: 12, width: 92, height: 92, rx: 20 }),
    h("rect", { class: "die-body", x: 4, y: 4, width: 92, height: 92, rx: 20 }),
    pictured(face, wild),
  );
}

/** A cup that lies in a picture; the middle of its rim is at x and y. @param {number} x @param {number} y @param {number} size @param {number} [turn] */
export function laidCup(x, y, size, turn = 0) {
  return h(
    "g",
    { transform: `translate(${x} ${y}) rotate(${turn}) scale(${size / 100}) translate(-60 -105)` },
    h("path", { class: "cup-body", d: "M30 14h60l16 84c.6 4-2 7-6 7H20c-4 0-6.6-3-6-7Z" }),
    h("path", { class: "cup-band", d: "M22 82h76M26 34h68" }),
  );
}

/** Spaces of a track on an arc, with the wild ones between. @param {string} wild */
function track(wild) {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((index) => {
    const angle = Math.PI * (1.08 + index * 0.12);
    const [x, y] = [120 + Math.cos(angle) * 112, 118 + Math.sin(angle) * 96];
    const isWild = index % 3 === 1;
    return h(
      "g",
      { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${((angle * 180) / Math.PI + 90).toFixed(1)})` },
      h("rect", { class: isWild ? "picture-space is-wild" : "picture-space", x: -15, y: -15, width: 30, height: 30, rx: 6 }),
      isWild && h("g", { transform: "scale(0.22) translate(-50 -50)" }, pictured(1, wild)),
    );
  });
}

/** @type {Record<string, () => Children>} */
const PICTURES = {
  pirates: () => [
    h("path", { class: "picture-line", d: `M-486 118q15-12 30 0${"t30 0".repeat(39)}` }),
    laidDie({ x: 62, y: 74, size: 52, turn: -14, face: 5 }),
    laidDie({ x: 180, y: 76, size: 52, turn: 12, face: 3 }),
    laidDie({ x: 121, y: 62, size: 70, turn: 3, face: 1, wild: "skull" }),
  ],
  "single-hand": () => [2, 6, 4, 4, 3].map((face, index) => {
    const lean = index - 2;
    return laidDie({ x: 120 + lean * 40, y: 64 + lean * lean * 5, size: 46, turn: lean * 9, face });
  }),
  palafico: () => [
    h("ellipse", { class: "picture-light", cx: 120, cy: 96, rx: 82, ry: 26 }),
    h("path", { class: "picture-light", d: "M96-4h48l58 100H38Z" }),
    laidDie({ x: 120, y: 84, size: 58, turn: -6, face: 1 }),
  ],
  "bidding-track": () => [
    track("star"),
    laidDie({ x: 92, y: 92, size: 50, turn: -10, face: 1, wild: "star" }),
    laidDie({ x: 146, y: 96, size: 44, turn: 12, face: 4 }),
  ],
  "prediction-track": () => [
    h("g", { class: "picture-wheel", transform: "translate(120 66) scale(1.25) translate(-50 -50)" }, pictured(1, "wheel")),
    laidDie({ x: 46, y: 92, size: 42, turn: -12, face: 6 }),
    laidDie({ x: 196, y: 90, size: 42, turn: 10, face: 2 }),
  ],
};

/** @param {string} book @returns {Node_} */
export function bookPicture(book) {
  return h("svg", { class: "book-picture", viewBox: "0 0 240 130", "aria-hidden": "true" }, PICTURES[book]?.() ?? PICTURES["single-hand"]?.());
}
