/** The season table and the attendance of a club. */

import { h } from "../core/render.js";
import { isMe } from "../statistics/identity.js";
import { empty } from "../statistics/states.js";
import { percent, range, whole } from "../statistics/written.js";

/** @import {App} from "../core/page.js" */
/** @import {Children} from "../core/render.js" */
/** @import {Attendance, SeasonTable} from "./types.js" */

/** So many evenings fit beside the names; the rest is in the download. */
const EVENINGS_MAX = 12;

/** @param {App<any>} app @param {SeasonTable} table @returns {Children} */
export function seasonTable(app, { standings }) {
  const { words } = app;
  const texts = words.messages.clubs;
  const head = (/** @type {string} */ text, figure = true) => h("th", { scope: "col", class: figure && "figure" }, text);
  return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": texts.table }, h(
    "table",
    { class: "board club-board" },
    h("caption", { class: "unseen" }, texts.table),
    h("thead", null, h("tr", null, head(texts.position), head(texts.player, false), head(texts.points), head(texts.games), head(texts.won), head(texts.places, false), head(texts.decisions))),
    h("tbody", null, standings.map((one) => h(
      "tr",
      { key: one.player_id, class: isMe(app, one.player_id) && "is-me" },
      h("td", { class: "figure board-position" }, whole(words, one.position)),
      h("th", { scope: "row" }, named(app, one)),
      h("td", { class: "figure board-value" }, whole(words, one.points), one.games > 0 && h("small", { class: "soft" }, " ", texts.of({ count: whole(words, one.points_possible) }))),
      h("td", { class: "figure" }, whole(words, one.games)),
      h("td", { class: "figure" }, whole(words, one.wins.count), one.games > 0 && h("small", { class: "soft" }, " ", range(words, one.wins, percent))),
      h("td", null, one.places.map(({ place, games }) => texts.place({ place, games })).join(", ")),
      h("td", { class: "figure" }, one.best_decisions.rate === null ? "" : percent(words, one.best_decisions.rate)),
    ))),
  ));
}

/** @param {App<any>} app @param {Attendance} attendance @returns {Children} */
export function attendanceTable(app, { evenings, attendees, time_zone }) {
  const { words } = app;
  const texts = words.messages.clubs;
  if (evenings.length === 0) return empty(texts.noEvenings, texts.noEveningsHint);
  const shown = evenings.slice(0, EVENINGS_MAX);
  return [
    h("p", { class: "soft" }, texts.dayRule({ zone: time_zone })),
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": texts.attendance }, h(
      "table",
      { class: "board club-board" },
      h("caption", { class: "unseen" }, texts.attendance),
      h("thead", null, h("tr", null, h("th", { scope: "col" }, texts.player), h("th", { scope: "col", class: "figure" }, texts.evenings), h("th", { scope: "col", class: "figure" }, texts.games), shown.map(({ day }) => h("th", { scope: "col", key: day }, words.day(Date.parse(`${day}T12:00:00`)))))),
      h("tbody", null, attendees.map((one) => h(
        "tr",
        { key: one.player_id, class: isMe(app, one.player_id) && "is-me" },
        h("th", { scope: "row" }, named(app, one)),
        h("td", { class: "figure" }, whole(words, one.evenings)),
        h("td", { class: "figure" }, whole(words, one.games)),
        shown.map(({ day, player_ids }) => h("td", { key: day }, player_ids.includes(one.player_id) ? h("span", { "aria-label": texts.came }, "●") : h("span", { class: "soft", "aria-label": texts.stayedAway }, "–"))),
      ))),
    )),
  ];
}

/** @param {App<any>} app @param {{name: string, is_member: boolean}} one */
function named({ words }, { name, is_member }) {
  return [name, " ", !is_member && h("span", { class: "tag" }, words.messages.clubs.left)];
}
