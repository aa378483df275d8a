/** The timeline: a slider over all steps, with the rounds behind it and marks for challenges and costly decisions. */

import { h } from "../core/render.js";
import { isCostly, isKnown } from "./decisions.js";
import { sentenceOf } from "./telling.js";
import { SPEEDS, walkByKey } from "./walk.js";

/** @import {Children, Node_} from "../core/render.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Recording} from "./recording.js" */
/** @import {Eyes} from "./types.js" */
/** @import {Walk} from "./walk.js" */

/** @param {Walk} walk @param {Words} words @returns {Children} */
export function timeline(walk, words) {
  const { recording, position } = walk;
  const texts = words.messages.replay;
  return h(
    "div",
    { class: "replay-timeline" },
    marks(recording, position.eyes, words),
    h("input", {
      type: "range",
      class: "replay-slider",
      "aria-label": texts.position,
      "aria-valuetext": `${texts.positionOf({ step: position.step, last: recording.last })}: ${sentenceOf(recording, position.step, words)}`,
      min: 0,
      max: recording.last,
      step: 1,
      ".value": String(position.step),
      style: { "--done": position.step / Math.max(1, recording.last) },
      oninput: (/** @type {any} */ event) => walk.to(Number(event.target.value)),
      onkeydown: (/** @type {KeyboardEvent} */ event) => walkByKey(event, walk) && event.stopPropagation(),
    }),
    h("p", { class: "replay-legend", "aria-hidden": "true" }, h("span", { class: "replay-mark is-challenge" }), texts.legend.challenge, h("span", { class: "replay-mark is-costly" }), texts.legend.costly),
  );
}

/** @type {WeakMap<Recording, Map<Eyes, Node_>>} */
const drawn = new WeakMap();

/** The marks of a game change only with the eyes, so they are drawn once for each. @param {Recording} recording @param {Eyes} eyes @param {Words} words */
function marks(recording, eyes, words) {
  const known = drawn.get(recording) ?? new Map();
  drawn.set(recording, known);
  const key = `${words.language} ${eyes}`;
  if (!known.has(key)) known.set(key, marksOf(recording, eyes));
  return known.get(key);
}

/** @param {Recording} recording @param {Eyes} eyes */
function marksOf({ rounds, decisions, last }, eyes) {
  const at = (/** @type {number} */ version) => (version / Math.max(1, last)).toFixed(5);
  return h(
    "div",
    { class: "replay-marks", "aria-hidden": "true" },
    rounds.map((round) => h(
      "span",
      { class: "replay-round", style: { "--from": at(round.first), "--to": at(round.last) } },
      round.last - round.first > last / 50 && h("span", null, round.number),
    )),
    decisions.filter((one) => one.kind === "challenge").map((one) => h("span", { class: "replay-mark is-challenge", style: { "--from": at(one.version) } })),
    decisions.filter((one) => isCostly(one) && isKnown(one, eyes)).map((one) => h("span", { class: "replay-mark is-costly", style: { "--from": at(one.version) } })),
  );
}

/** @param {Walk} walk @param {Words} words @returns {Children} */
export function controls(walk, words) {
  const { step, playing } = walk.position;
  const { last } = walk.recording;
  const texts = words.messages.replay;
  return h(
    "div",
    { class: "replay-controls", role: "toolbar", "aria-label": texts.timeline },
    button(texts.first, "M6 5v14M19 5 9 12l10 7Z", () => walk.to(0), step === 0),
    button(texts.roundBack, "M19 5 12 12l7 7ZM11 5 4 12l7 7Z", () => walk.byRound(-1), step === 0),
    button(texts.back, "M16 5 7 12l9 7Z", () => walk.by(-1), step === 0),
    button(playing ? texts.pause : texts.play, playing ? "M7 5h4v14H7ZM14 5h4v14h-4Z" : "M7 4 20 12 7 20Z", () => walk.toggle(), false, "is-main"),
    button(texts.forward, "M8 5 17 12l-9 7Z", () => walk.by(1), step === last),
    button(texts.roundOn, "M5 5 12 12l-7 7ZM13 5 20 12l-7 7Z", () => walk.byRound(1), step === last),
    button(texts.last, "M18 5v14M5 5l10 7-10 7Z", () => walk.to(last), step === last),
  );
}

/** @param {Walk} walk @param {Words} words @returns {Children} */
export function speedChoice(walk, words) {
  const texts = words.messages.replay;
  return h(
    "select",
    { class: "replay-speed", "aria-label": texts.speed, ".value": String(walk.position.speed), onchange: (/** @type {any} */ event) => walk.at(Number(event.target.value)) },
    SPEEDS.map((one) => h("option", { value: one }, texts.times({ speed: words.number(one) }))),
  );
}

/** @param {string} label @param {string} path @param {() => void} act @param {boolean} off @param {string} [name] */
function button(label, path, act, off, name) {
  // It keeps the focus at the end, so it is not disabled but does nothing.
  return h(
    "button",
    { class: ["replay-button", name], type: "button", "aria-label": label, title: label, "aria-disabled": off ? "true" : null, onclick: () => !off && act() },
    h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: path })),
  );
}

/** Through whose eyes. @param {Walk} walk @param {Words} words @returns {Children} */
export function eyesChoice(walk, words) {
  const texts = words.messages.replay;
  const { eyes } = walk.position;
  /** @type {[Eyes, string][]} */
  const choices = [["everything", texts.everything], ["spectator", texts.spectator], ...walk.recording.players.map((player, seat) => /** @type {[Eyes, string]} */ ([seat, player.name]))];
  return h(
    "div",
    { class: "replay-eyes", role: "group", "aria-label": texts.eyes },
    choices.map(([choice, name]) => h("button", { type: "button", "aria-pressed": String(choice === eyes), onclick: () => walk.see(choice) }, name)),
  );
}
