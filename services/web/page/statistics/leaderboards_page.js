/** Who is best: by a measure, in a book, of those with enough games. */

import { h } from "../core/render.js";
import { waiting } from "../shell/frame.js";
import { freshnessNote } from "../shell/freshness.js";
import { addressWith, askedWith, bookIds, choice, filterForm, filtersIn } from "./filters.js";
import { Latest } from "./latest.js";
import { leaderboardTable } from "./leaderboard_table.js";
import { empty, failure, nobodyYet } from "./states.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
/** @import {Freshness} from "../shell/freshness.js" */
/** @import {Entry, Measure} from "./types.js" */

/** @typedef {{board: {measure: Measure, entries: Entry[], more: boolean, freshness: Freshness} | null, loading: boolean, problem: Problem | null}} State */

const MEASURES = /** @type {const} */ (["rating", "wins", "challenges", "bids", "decisions", "games"]);
const KINDS = /** @type {const} */ (["all", "human", "bot"]);
const GAMES_MIN = [1, 3, 5, 10, 20, 50, 100];
const PAGE_SIZE = 25;
const AFTER_MAX = 10_000;
const latest = new Latest();

/** @type {Page<State>} */
export default {
  initial: { board: null, loading: true, problem: null },
  title: ({ words }) => words.messages.statistics.leaderboards,
  enter: load,
  moved: load,
  view,
};

/** What the address asks for; what makes no sense is left out. @param {App<State>} app */
function asked(app) {
  const { query } = app.route;
  const measure = MEASURES.find((one) => one === query.get("measure")) ?? "rating";
  const kind = KINDS.find((one) => one === query.get("kind")) ?? "all";
  const number = (/** @type {string} */ name, /** @type {number} */ least, /** @type {number} */ most) => Math.min(most, Math.max(least, Math.floor(Number(query.get(name))) || least));
  const filters = filtersIn(query, bookIds(app.words));
  return { measure, kind, games_min: number("games_min", 1, 2 ** 31 - 1), after: number("after", 0, AFTER_MAX), filters: measure === "rating" ? { ...filters, played: "ended" } : filters };
}

/** @param {App<State>} app */
async function load(app) {
  const { measure, kind, games_min, after, filters } = asked(app);
  await latest.into(app, async (signal) => ({
    board: await app.api.get("/leaderboards", { ...askedWith(filters), measure, kind: kind === "all" ? null : kind, games_min, after, page_size: PAGE_SIZE }, signal),
  }));
}

/** @param {App<State>} app */
function view(app) {
  const texts = app.words.messages.statistics;
  const { measure } = asked(app);
  return [
    h(
      "div",
      { class: "page-head" },
      h("h1", null, texts.leaderboards),
      h("p", { class: "soft" }, texts.leaderboardsLead),
      h("a", { class: "button", href: "/compare" }, texts.compare),
    ),
    measureTabs(app, measure),
    fields(app),
    freshnessNote(app, "statistics", app.state.board?.freshness, () => load(app)),
    h("div", { class: ["board-area", app.state.loading && "is-loading"], "aria-busy": app.state.loading ? "true" : null }, board(app)),
  ];
}

/** @param {App<State>} app @param {Measure} measure */
function measureTabs(app, measure) {
  const texts = app.words.messages.statistics;
  return h("nav", { class: "tabs", "aria-label": texts.measure }, MEASURES.map((one) => h(
    "a",
    { href: addressWith(app, { measure: one === "rating" ? "" : one, after: "" }), "aria-current": one === measure ? "true" : null },
    texts.boards[one].name,
  )));
}

/** @param {App<State>} app */
function fields(app) {
  const texts = app.words.messages.statistics;
  const { kind, games_min, filters, measure } = asked(app);
  const change = (/** @type {string} */ name, /** @type {string} */ usual) => (/** @type {any} */ event) =>
    app.go(addressWith(app, { [name]: event.target.value === usual ? "" : event.target.value, after: "" }), { replace: true });
  const least = [...new Set([...GAMES_MIN, games_min])].sort((one, other) => one - other);
  return filterForm(app, filters, {
    played: measure !== "rating",
    more: [
      choice(texts.kind, kind, KINDS.map((one) => [one, texts.kinds[one]]), change("kind", "all")),
      choice(texts.gamesMin, String(games_min), least.map((one) => [String(one), app.words.number(one)]), change("games_min", "1")),
    ],
  });
}

/** @param {App<State>} app */
function board(app) {
  const texts = app.words.messages.statistics;
  const { board: told, problem } = app.state;
  const { after } = asked(app);
  if (problem !== null) return failure(app, problem, () => load(app));
  if (told === null) return waiting(app.words.messages.shell.loading);
  if (told.entries.length === 0) return app.route.query.size === 0 ? nobodyYet(app) : empty(texts.nobodyRanked, texts.nobodyRankedHint, h("a", { class: "button", href: "/leaderboards" }, texts.clearFilters));
  return [
    h("p", { class: "soft" }, texts.boards[told.measure].told),
    leaderboardTable(app, told.measure, told.entries),
    (told.more || after > 0) && h(
      "nav",
      { class: "row" },
      after > 0 && h("a", { class: "button", href: addressWith(app, { after: after > PAGE_SIZE ? String(after - PAGE_SIZE) : "" }) }, texts.previousPage),
      told.more && h("a", { class: "button", href: addressWith(app, { after: String(after + PAGE_SIZE) }) }, texts.nextPage),
    ),
  ];
}
