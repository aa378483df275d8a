/** The options of a table, each with what it means. Only those that the book has are shown. */

import { h } from "../core/render.js";
import { DICE_EACH_MAX, waitsForPeople } from "./draft.js";

/** @import {App} from "../core/page.js" */
/** @import {Children} from "../core/render.js" */
/** @import {OnTimeout, RaiseRule, Rulebook} from "../../client/messages/types.js" */
/** @import {Draft} from "./draft.js" */
/** @import {LobbyState} from "./lobby_page.js" */

/** @typedef {(changes: Partial<Draft>) => void} Change */

const TURN_SECONDS = [15, 30, 60, 120, 300, 86_400];
const DELAY_SECONDS = [0, 30, 60, 300, 900];
/** @type {OnTimeout[]} */
const TIMEOUTS = ["lowest_bid", "challenge", "forfeit"];

/** @param {App<LobbyState>} app @param {Rulebook} book @param {Change} change */
export function optionFields(app, book, change) {
  const texts = app.words.messages.lobby;
  return h(
    "details",
    { class: "options" },
    h("summary", null, texts.options, h("span", { class: "soft small" }, summary(app, book))),
    h("div", { class: "option-fields" }, ofBook(app, book, change), ofTurns(app, change), ofCompany(app, change)),
  );
}

/** What is chosen, in a line. @param {App<LobbyState>} app @param {Rulebook} book */
function summary({ words, state: { draft } }, book) {
  const texts = words.messages.lobby;
  return [
    texts.diceCount({ count: draft.diceEach }),
    draft.turnSeconds === null ? texts.noClock : texts.aTurn({ time: span(draft.turnSeconds, texts) }),
    draft.private ? texts.private : texts.public,
    book.chips && draft.chips && texts.chips,
    book.wildAces && draft.wildAces && texts.wildAces,
  ].filter(Boolean).join(" · ");
}

/** @param {App<LobbyState>} app @param {Rulebook} book @param {Change} change @returns {Children} */
function ofBook({ words, state: { draft } }, book, change) {
  const texts = words.messages.lobby;
  const dice = Array.from({ length: DICE_EACH_MAX }, (_, index) => index + 1);
  return [
    chosen(texts.diceEach, texts.diceEachTold, draft.diceEach, dice.map((count) => [count, words.number(count)]), (value) => change({ diceEach: Number(value) })),
    book.openerNamed && chosen(texts.opener, texts.openerTold, draft.opener ?? "", [["", texts.openerDrawn], ...seats(draft, texts)], (value) => change({ opener: value === "" ? null : Number(value) })),
    book.raiseRules.length > 0 && chosen(texts.raiseRule, texts.raiseRules[draft.raiseRule].told, draft.raiseRule, book.raiseRules.map((rule) => [rule, texts.raiseRules[rule].name]),
      (value) => change({ raiseRule: /** @type {RaiseRule} */ (value) })),
    book.wildAces && toggle(texts.wildAces, texts.wildAcesTold, draft.wildAces, (wildAces) => change({ wildAces })),
    book.chips && toggle(texts.chips, texts.chipsTold, draft.chips, (chips) => change({ chips })),
  ];
}

/** @param {Draft} draft @param {App<any>["words"]["messages"]["lobby"]} texts @returns {[number, string][]} */
function seats({ opponents }, texts) {
  return [[0, texts.you], .../** @type {[number, string][]} */ (opponents.map((_, index) => [index + 1, texts.seat({ number: index + 2 })]))];
}

/** @param {App<LobbyState>} app @param {Change} change @returns {Children} */
function ofTurns({ words, state: { draft } }, change) {
  const texts = words.messages.lobby;
  const times = TURN_SECONDS.map((seconds) => /** @type {[number, string]} */ ([seconds, span(seconds, texts)]));
  return [
    chosen(texts.turnSeconds, texts.turnSecondsTold, draft.turnSeconds ?? "", [["", texts.noClock], ...times], (value) => change({ turnSeconds: value === "" ? null : Number(value) })),
    draft.turnSeconds !== null && chosen(texts.onTimeout, texts.timeouts[draft.onTimeout].told, draft.onTimeout, TIMEOUTS.map((one) => [one, texts.timeouts[one].name]),
      (value) => change({ onTimeout: /** @type {OnTimeout} */ (value) })),
  ];
}

/** @param {App<LobbyState>} app @param {Change} change @returns {Children} */
function ofCompany({ words, state: { draft } }, change) {
  const texts = words.messages.lobby;
  const delays = DELAY_SECONDS.map((seconds) => /** @type {[number, string]} */ ([seconds, seconds === 0 ? texts.atOnce : span(seconds, texts)]));
  return [
    chosen(texts.whoComes, draft.private ? texts.privateTold : waitsForPeople(draft) ? texts.publicTold : texts.publicWatchTold, draft.private ? "private" : "public",
      [["public", texts.public], ["private", texts.private]], (value) => change({ private: value === "private" })),
    chosen(texts.delay, texts.delayTold, draft.delaySeconds, delays, (value) => change({ delaySeconds: Number(value) })),
  ];
}

/** A time as people say it. @param {number} seconds @param {App<any>["words"]["messages"]["lobby"]} texts */
export function span(seconds, texts) {
  if (seconds >= 86_400) return texts.days({ count: Math.round(seconds / 86_400) });
  if (seconds >= 3_600) return texts.hours({ count: Math.round(seconds / 3_600) });
  return seconds >= 120 ? texts.minutes({ count: Math.round(seconds / 60) }) : texts.seconds({ count: seconds });
}

/** @param {string} name @param {string} told @param {string | number} value @param {[string | number, string][]} choices @param {(value: string) => void} change */
function chosen(name, told, value, choices, change) {
  return h("label", { class: "option", key: name }, h("span", { class: "option-name" }, name), h(
    "select",
    { ".value": String(value), onchange: (/** @type {any} */ event) => change(event.target.value) },
    choices.map(([choice, text]) => h("option", { value: choice }, text)),
  ), h("span", { class: "option-told" }, told));
}

/** @param {string} name @param {string} told @param {boolean} on @param {(on: boolean) => void} change */
function toggle(name, told, on, change) {
  return h("div", { class: "option", key: name }, h("label", null, h("input", { type: "checkbox", ".checked": on, onchange: (/** @type {any} */ event) => change(event.target.checked) }), name), h("span", { class: "option-told" }, told));
}
