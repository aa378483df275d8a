/** The table of a leaderboard: each player with the value, its interval as a picture, and what was counted. */

import { h } from "../core/render.js";
import { isMe, marks, playerPath } from "./identity.js";
import { number, percent, range, whole } from "./written.js";

/** @import {App} from "../core/page.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Entry, Measure} from "./types.js" */

/** @param {App<any>} app @param {Measure} measure @param {Entry[]} entries */
export function leaderboardTable(app, measure, entries) {
  const texts = app.words.messages.statistics;
  const [write, at] = [writer(measure), placer(measure, entries)];
  const spread = entries.some((entry) => entry.low !== null);
  return h(
    "table",
    { class: "board" },
    h("caption", { class: "unseen" }, `${texts.leaderboards}: ${texts.boards[measure].name}`),
    h("thead", null, h(
      "tr",
      null,
      h("th", { scope: "col", class: "figure" }, texts.position),
      h("th", { scope: "col" }, texts.player),
      h("th", { scope: "col", class: "figure" }, texts.boards[measure].name),
      spread && h("th", { scope: "col", class: "board-interval" }, texts.interval),
      spread && measure !== "rating" && h("th", { scope: "col", class: "figure board-count" }, texts.count),
      measure !== "games" && h("th", { scope: "col", class: "figure board-games" }, texts.games),
    )),
    h("tbody", null, entries.map((entry) => h(
      "tr",
      { key: entry.player_id, class: isMe(app, entry.player_id) && "is-me", "data-player": entry.player_id },
      h("td", { class: "figure board-position" }, whole(app.words, entry.position)),
      h("th", { scope: "row", class: "board-player" }, h("a", { href: playerPath(entry.player_id) }, entry.name), " ", marks(app, entry)),
      h("td", { class: "figure board-value" }, write(app.words, entry.value)),
      spread && h("td", { class: "board-interval" }, intervalOf(app.words, entry, write, at)),
      spread && measure !== "rating" && h("td", { class: "figure board-count" }, whole(app.words, entry.count)),
      measure !== "games" && h("td", { class: "figure board-games" }, whole(app.words, entry.games)),
    ))),
  );
}

/** @param {Words} words @param {Entry} entry @param {(words: Words, value: number) => string} write @param {(value: number) => number} at */
function intervalOf(words, entry, write, at) {
  if (entry.low === null || entry.high === null) return null;
  return [
    h("span", { class: "interval", "aria-hidden": "true", style: { "--low": at(entry.low), "--high": at(entry.high), "--value": at(entry.value) } }),
    h("span", { class: "interval-text" }, range(words, entry, write)),
  ];
}

/** @param {Measure} measure @returns {(words: Words, value: number) => string} */
function writer(measure) {
  return measure === "rating" ? number : measure === "games" ? whole : percent;
}

/** Where a value lies in the pictures of this table, in hundredths. @param {Measure} measure @param {Entry[]} entries @returns {(value: number) => number} */
function placer(measure, entries) {
  if (measure !== "rating") return (value) => Math.round(value * 10_000) / 100;
  const [from, to] = [Math.min(...entries.map((entry) => entry.low ?? entry.value)), Math.max(...entries.map((entry) => entry.high ?? entry.value))];
  return (value) => Math.round(((value - from) / (to - from || 1)) * 10_000) / 100;
}
