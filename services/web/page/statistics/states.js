/** What is shown instead of numbers: nothing there yet, nobody like that, or something that went wrong. */

import { h } from "../core/render.js";

/** @import {App} from "../core/page.js" */
/** @import {Children} from "../core/render.js" */
/** @import {Problem} from "../core/problem.js" */

/** @param {string} title @param {string} hint @param {Children} [way] */
export function empty(title, hint, way = null) {
  return h("div", { class: "empty statistics-empty" }, h("p", { class: "statistics-empty-title" }, title), h("p", null, hint), way);
}

/** Nobody has played here; the way out is to play. @param {App<any>} app */
export function nobodyYet({ words }) {
  const texts = words.messages.statistics;
  return empty(texts.nobody, texts.nobodyHint, h("a", { class: "button primary", href: "/" }, texts.start));
}

/** @param {App<any>} app @param {Problem} problem @param {() => void} again */
export function failure({ words }, problem, again) {
  const texts = words.messages.statistics;
  return empty(texts.couldNot, words.problem(problem), h("button", { onclick: again }, texts.again));
}
