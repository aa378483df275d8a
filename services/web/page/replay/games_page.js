/** `/games`: past and running games, the newest first. The filters are the query of the address. */

import { problemOf } from "../core/problem.js";
import { h } from "../core/render.js";
import { waiting } from "../shell/frame.js";
import { freshnessNote } from "../shell/freshness.js";
import { FILTERS, filterForm } from "./games_filter.js";
import { gameRow } from "./game_row.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
/** @import {Children} from "../core/render.js" */
/** @import {Freshness} from "../shell/freshness.js" */
/** @import {Book, Listing} from "./types.js" */

/** @typedef {{games: Listing[] | null, next: string | null, books: Book[], freshness: Freshness | null, problem: Problem | null, busy: boolean, player: string, people: {player_id: string, name: string}[]}} State */
/** @typedef {App<State>} GamesApp */

const PAGE = 20;
const PAGE_MAX = 100;

/** @type {Page<State>} */
export default {
  initial: { games: null, next: null, books: [], freshness: null, problem: null, busy: false, player: "", people: [] },
  title: ({ words }) => words.messages.replay.title,
  enter: begin,
  moved: (app) => load(app, PAGE),
  view: (app) => [
    h("header", { class: "stack" }, h("h1", null, app.words.messages.replay.title), h("p", { class: "soft" }, app.words.messages.replay.lead)),
    filterForm(app),
    app.state.games !== null && freshnessNote(app, "games", app.state.freshness, () => load(app, PAGE)),
    list(app),
  ],
};

/** @param {GamesApp} app */
async function begin(app) {
  addEventListener("scroll", () => keepPlace(app), { signal: app.signal, passive: true });
  // Who follows a link right after scrolling comes back to that place too.
  addEventListener("click", () => notePlace(app), { signal: app.signal, capture: true });
  app.api.get("/rulebooks", {}, app.signal).then(({ rulebooks }) => app.update({ books: rulebooks })).catch(() => null); // Then books are called by their ids.
  // A reader who comes back finds the list as it was, and the place in it.
  const place = history.state?.games;
  await load(app, place?.shown ?? PAGE);
  if (place) requestAnimationFrame(() => requestAnimationFrame(() => scrollTo(0, place.top)));
}

/** @param {GamesApp} app @param {number} count how many to show at least */
async function load(app, count) {
  const asked = app.route.query.toString();
  app.update({ games: null, problem: null, busy: true });
  try {
    /** @type {Listing[]} */
    const games = [];
    let [next, freshness] = [null, null];
    do {
      const page = await pageOf(app, Math.min(PAGE_MAX, count - games.length), next);
      games.push(...page.games);
      [next, freshness] = [page.next_page_token, page.freshness];
    } while (next !== null && games.length < count);
    if (asked === app.route.query.toString()) app.update({ games, next, freshness, busy: false });
  } catch (error) {
    if (!app.signal.aborted) app.update({ problem: problemOf(error), busy: false });
  }
}

/** @param {GamesApp} app */
async function more(app) {
  if (app.state.busy) return;
  app.update({ busy: true });
  try {
    const page = await pageOf(app, PAGE, app.state.next);
    app.update({ games: [...(app.state.games ?? []), ...page.games], next: page.next_page_token, busy: false });
    keepPlace(app);
  } catch (error) {
    if (app.signal.aborted) return;
    app.update({ busy: false });
    app.failed(error);
  }
}

/** @param {GamesApp} app @param {number} size @param {string | null} token */
function pageOf(app, size, token) {
  const query = Object.fromEntries(FILTERS.map((name) => [name, app.route.query.get(name)]));
  return app.api.get("/games", { ...query, page_size: size, page_token: token }, app.signal);
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let keeping;

/** Note in the history how far the list was read. @param {GamesApp} app */
function keepPlace(app) {
  clearTimeout(keeping);
  keeping = setTimeout(() => notePlace(app), 150);
}

/** @param {GamesApp} app */
function notePlace({ signal, state }) {
  if (!signal.aborted && state.games !== null) history.replaceState({ games: { shown: state.games.length, top: scrollY } }, "");
}

/** @param {GamesApp} app @returns {Children} */
function list(app) {
  const { state, words } = app;
  const texts = words.messages.replay;
  if (state.problem !== null) {
    return h("div", { class: "empty", role: "alert" }, h("p", null, words.problem(state.problem)), h("button", { type: "button", onclick: () => load(app, PAGE) }, words.messages.shell.again));
  }
  if (state.games === null) return waiting(words.messages.shell.loading);
  if (state.games.length === 0) {
    return h("div", { class: "empty" }, h("p", null, texts.none), h("p", { class: "small" }, texts.noneHint), h("p", { class: "row" }, h("a", { class: "button", href: "/games" }, texts.clear), h("a", { class: "button primary", href: "/" }, words.messages.shell.play)));
  }
  return [
    h("ul", { class: "games-list" }, state.games.map((game) => gameRow(game, state.books, words))),
    h("div", { class: "games-more" }, state.next === null ? h("p", { class: "soft small" }, texts.allShown) : h("button", { type: "button", disabled: state.busy, onclick: () => more(app) }, texts.more)),
  ];
}
