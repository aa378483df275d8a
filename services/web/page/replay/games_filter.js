/** The filters of the list of games. They stand in the address, so that a list can be linked. */

import { h } from "../core/render.js";
import { bookTitle } from "./telling.js";

/** @import {Children} from "../core/render.js" */
/** @import {GamesApp} from "./games_page.js" */

/** The names of the filters, in the address as in `/api/v1/games`. */
export const FILTERS = /** @type {const} */ (["rulebook", "result", "player", "since", "until", "practice"]);

/** @param {GamesApp} app @returns {Children} */
export function filterForm(app) {
  const { words, state, route } = app;
  const texts = words.messages.replay;
  const isFiltered = FILTERS.some((name) => route.query.get(name));
  return h(
    "form",
    { class: "games-filter", role: "search", "aria-label": texts.filters, onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    choice(app, "rulebook", texts.book, [["", texts.anyBook], ...state.books.map((book) => /** @type {[string, string]} */ ([book.id, bookTitle(book, words)]))]),
    choice(app, "result", texts.result, [["", texts.anyResult], ...Object.entries(texts.results)]),
    player(app),
    day(app, "since", texts.since),
    day(app, "until", texts.until),
    choice(app, "practice", texts.practice, [["", texts.practices.without], ["with", texts.practices.with], ["only", texts.practices.only]]),
    isFiltered && h("a", { class: "button plain", href: "/games" }, texts.clear),
  );
}

/** @param {GamesApp} app @param {typeof FILTERS[number]} name @param {string} label @param {[string, string][]} choices */
function choice(app, name, label, choices) {
  return h("label", null, label, h(
    "select",
    { name, ".value": app.route.query.get(name) ?? "", onchange: (/** @type {any} */ event) => filter(app, name, event.target.value) },
    choices.map(([value, text]) => h("option", { value }, text)),
  ));
}

/** @param {GamesApp} app @param {"since" | "until"} name @param {string} label */
function day(app, name, label) {
  return h("label", null, label, h("input", { type: "date", name, ".value": app.route.query.get(name)?.slice(0, 10) ?? "", onchange: (/** @type {any} */ event) => filter(app, name, event.target.value) }));
}

/** @param {GamesApp} app */
function player(app) {
  const { state, words, route } = app;
  const texts = words.messages.replay;
  const chosen = route.query.get("player");
  if (chosen) {
    const name = state.games?.flatMap((game) => game.seats).find((seat) => seat.player_id === chosen)?.name ?? chosen;
    return h("div", { class: "games-player" }, h("span", null, texts.player), h("button", { type: "button", onclick: () => filter(app, "player", ""), "aria-label": `${texts.clear}: ${name}` }, name, " ×"));
  }
  return h("label", null, texts.player, h("input", {
    type: "search",
    name: "player",
    list: "games-people",
    placeholder: texts.playerHint,
    ".value": state.player,
    oninput: (/** @type {any} */ event) => suggest(app, event.target.value),
    onchange: (/** @type {any} */ event) => choosePlayer(app, event.target.value),
  }), h("datalist", { id: "games-people" }, state.people.map((one) => h("option", { value: one.name }))));
}

/** @param {GamesApp} app @param {string} name */
async function suggest(app, name) {
  app.update({ player: name });
  const people = name.trim().length < 2 ? [] : await named(app, name);
  if (app.state.player === name) app.update({ people });
}

/** @param {GamesApp} app @param {string} name */
async function choosePlayer(app, name) {
  if (!name.trim()) return;
  const people = await named(app, name);
  const found = people.find((one) => one.name.toLowerCase() === name.trim().toLowerCase()) ?? people[0];
  if (found === undefined) app.notify(app.words.messages.replay.noPlayer({ name }));
  else filter(app, "player", found.player_id);
}

/** @param {GamesApp} app @param {string} name @returns {Promise<{player_id: string, name: string}[]>} */
async function named(app, name) {
  const answer = await app.api.get("/players", { name: name.trim(), page_size: 10 }, app.signal).catch(() => ({ players: [] }));
  return answer.players;
}

/** @param {GamesApp} app @param {typeof FILTERS[number]} name @param {string} value */
function filter(app, name, value) {
  const query = new URLSearchParams(app.route.query);
  if (value) query.set(name, value);
  else query.delete(name);
  app.update({ player: "", people: [] });
  app.go(`/games${query.size ? `?${query}` : ""}`);
}
