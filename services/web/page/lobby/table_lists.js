/** Lists of tables: one's own, those with a free seat, and those to watch. */

import { h } from "../core/render.js";
import { bookTexts } from "../rules/books.js";

/** @import {App} from "../core/page.js" */
/** @import {Words} from "../words/words.js" */
/** @import {LobbyState} from "./lobby_page.js" */
/** @import {ListedTable} from "./tables.js" */

const SHOWN_MAX = 3;

/** @param {App<LobbyState>} app @param {ListedTable[]} tables */
export function ownTables({ words, state, update }, tables) {
  const texts = words.messages.lobby;
  const shown = state.allMine ? tables : tables.slice(0, SHOWN_MAX);
  return h(
    "div",
    { class: "own", key: "own" },
    h("h2", null, tables.length === 1 ? texts.backToTable : texts.backToTables),
    h("ul", { class: "list" }, shown.map((table) => h("li", { key: table.id }, h(
      "a",
      { class: "own-table", href: `/play/${encodeURIComponent(table.id)}` },
      h("strong", null, titleOf(words, table)),
      h("span", null, table.practice ? texts.practice : withWhom(words, table)),
      h("span", { class: "own-go", "aria-hidden": "true" }, "→"),
    )))),
    shown.length < tables.length && h("button", { class: "plain", onclick: () => update({ allMine: true }) }, texts.allMine({ count: tables.length })),
  );
}

/** Tables with a free seat. @param {App<LobbyState>} app */
export function openTables({ words, state }) {
  const texts = words.messages.lobby;
  return listed(state, texts.openTables, texts.noOpenTables, "open", (table) => [
    h("span", { class: "listed-told" }, h("strong", null, titleOf(words, table)), h("span", { class: "soft small" }, words.list(table.players)),
      h("span", { class: "free small" }, texts.free({ count: table.seatsMax - table.players.length }))),
    h("a", { class: "button", href: `/join/${encodeURIComponent(table.id)}`, "aria-label": `${texts.join}: ${titleOf(words, table)}, ${words.list(table.players)}` }, texts.join),
  ], texts);
}

/** Public games that go on. @param {App<LobbyState>} app */
export function runningTables({ words, state }) {
  const texts = words.messages.lobby;
  return listed(state, texts.running, texts.noRunning, "running", (table) => [
    h("span", { class: "listed-told" }, h("strong", null, titleOf(words, table)), h("span", { class: "soft small" }, words.list(table.players))),
    h("a", { class: "button", href: `/watch/${encodeURIComponent(table.id)}`, "aria-label": `${texts.watch}: ${titleOf(words, table)}, ${words.list(table.players)}` }, texts.watch),
  ], texts);
}

/** @param {LobbyState} state @param {string} title @param {string} empty @param {"open" | "running"} which @param {(table: ListedTable) => any} row
 * @param {Words["messages"]["lobby"]} texts */
function listed({ tables, failed }, title, empty, which, row, texts) {
  const found = tables?.[which] ?? null;
  return h(
    "section",
    { class: `tables is-${which}`, "aria-label": title },
    h("h2", null, title),
    found === null && !failed && h("div", { class: "ghosts", role: "status", key: "ghosts", "aria-label": texts.looking }, h("span", null), h("span", null)),
    found === null && failed && h("p", { class: "empty", key: "failed" }, texts.listFailed),
    found?.length === 0 && h("p", { class: "empty", key: "empty" }, empty),
    found !== null && found.length > 0 && h("ul", { class: "list", key: "list" }, found.map((table) => h("li", { class: "listed", key: table.id }, row(table)))),
  );
}

/** @param {Words} words @param {ListedTable} table */
function titleOf(words, { book }) {
  return bookTexts(words, book)?.title ?? book;
}

/** @param {Words} words @param {ListedTable} table */
function withWhom(words, { players, gathering }) {
  const texts = words.messages.lobby;
  if (players.length === 0) return texts.alone;
  const names = texts.withPlayers({ names: words.list(players) });
  return gathering ? `${names} · ${texts.gathering}` : names;
}
