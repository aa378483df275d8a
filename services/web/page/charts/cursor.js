/** The field over a chart on which the reader picks an x: with the pointer, or with arrow keys as on a slider. */

import { h } from "../core/render.js";

/** @import {Scale} from "./scale.js" */

/** @typedef {{xs: number[], scale: Scale, at: number | null, label: string, text: (x: number) => string, onpick: (x: number) => void}} Cursor `xs` are those that may be picked, in order */

/** @param {Cursor} cursor */
export function cursor({ xs, scale, at, label, text, onpick }) {
  const now = at === null ? xs.length - 1 : nearest(xs, at);
  const pick = (/** @type {number} */ index) => {
    const x = xs[Math.min(xs.length - 1, Math.max(0, index))];
    if (x !== undefined && x !== at) onpick(x);
  };
  const point = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    pick(nearest(xs, scale.min + ((event.clientX - box.left) / box.width) * (scale.max - scale.min)));
  };
  return h("div", {
    class: "chart-pick",
    role: "slider",
    tabindex: 0,
    "aria-label": label,
    "aria-valuemin": 1,
    "aria-valuemax": xs.length,
    "aria-valuenow": now + 1,
    "aria-valuetext": text(xs[now] ?? 0),
    onpointerdown: point,
    onpointermove: (/** @type {PointerEvent} */ event) => event.buttons === 1 && point(event),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      const index = moved(event.key, now, xs.length);
      if (index === null) return;
      event.preventDefault();
      pick(index);
    },
  });
}

/** @param {string} key @param {number} now @param {number} count @returns {number | null} */
function moved(key, now, count) {
  /** @type {Record<string, number>} */
  const places = { ArrowLeft: now - 1, ArrowDown: now - 1, ArrowRight: now + 1, ArrowUp: now + 1, PageDown: now - 10, PageUp: now + 10, Home: 0, End: count - 1 };
  return places[key] ?? null;
}

/** The index of the x that is nearest to a value. @param {number[]} xs @param {number} value */
function nearest(xs, value) {
  return xs.reduce((best, x, index) => (Math.abs(x - value) < Math.abs((xs[best] ?? Infinity) - value) ? index : best), 0);
}
