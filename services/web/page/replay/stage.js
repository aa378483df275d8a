/** What the page and the element share: the table, what happened, the timeline and its controls. */

import { h } from "../core/render.js";
import { scene } from "./scene.js";
import { sentenceOf } from "./telling.js";
import { controls, eyesChoice, speedChoice, timeline } from "./timeline.js";

/** @import {Children} from "../core/render.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Walk} from "./walk.js" */

/** @param {Walk} walk @param {Words} words @param {Children} [beside] what else stands beside the controls @returns {Children} */
export function stage(walk, words, beside = null) {
  const { recording, position } = walk;
  const texts = words.messages.replay;
  const round = recording.roundAt(position.step);
  return h(
    "section",
    { class: "replay-stage", "aria-label": texts.table },
    eyesChoice(walk, words),
    scene({ recording, step: position.step, eyes: position.eyes, words }),
    h(
      "div",
      { class: "replay-caption" },
      h("p", { class: "replay-sentence", "aria-live": position.playing ? "off" : "polite" }, sentenceOf(recording, position.step, words)),
      h("p", { class: "replay-where" }, round === null ? texts.beforeRounds : texts.round({ number: round.number }), " · ", texts.positionOf({ step: position.step, last: recording.last })),
    ),
    timeline(walk, words),
    h("div", { class: "replay-row" }, controls(walk, words), h("div", { class: "replay-beside" }, speedChoice(walk, words), beside)),
  );
}
