/** Two players side by side: who came out ahead at the same tables, and all their numbers. */

import { h } from "../core/render.js";
import { waiting } from "../shell/frame.js";
import { freshnessNote } from "../shell/freshness.js";
import { comparison } from "./comparison.js";
import { addressWith, askedWith, bookIds, filterForm, filtersIn } from "./filters.js";
import { countedAs, isPlayerId, marks, playerPath } from "./identity.js";
import { Latest } from "./latest.js";
import { ifKnown, playerName, ratingHistory } from "./player_data.js";
import { afterPause, found, foundList, searchField } from "./search.js";
import { empty, failure } from "./states.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
/** @import {Found} from "./search.js" */
/** @import {Compared} from "./comparison.js" */
/** @import {Statistics} from "./types.js" */

/** @typedef {"a" | "b"} Side */
/** @typedef {{typed: string, found: Found | null}} Search */
/** @typedef {{sides: Record<Side, Compared | null>, meetings: Record<Side, any>, a: Search, b: Search, loading: boolean, problem: Problem | null}} State */

const SIDES = /** @type {const} */ (["a", "b"]);
const latest = new Latest();
const searching = { a: new Latest(), b: new Latest() };
/** @type {Record<Side, (text: string) => void>} */
const looks = { a: afterPause((text) => look?.("a", text)), b: afterPause((text) => look?.("b", text)) };
/** @type {((side: Side, text: string) => void) | null} */
let look = null;

/** @type {Page<State>} */
export default {
  initial: { sides: { a: null, b: null }, meetings: { a: null, b: null }, a: { typed: "", found: null }, b: { typed: "", found: null }, loading: true, problem: null },
  title: ({ words, state: { sides } }) => [words.messages.statistics.compare, SIDES.map((side) => sides[side]?.name).filter(Boolean).join(" – ")].filter(Boolean).join(": "),
  enter: load,
  moved: load,
  view,
  width: "wide",
};

/** The player of a side as the address names it. @param {App<State>} app @param {Side} side */
function chosen(app, side) {
  const id = countedAs(app.route.query.get(side) ?? "");
  return isPlayerId(id) ? id : null;
}

/** @param {App<State>} app */
async function load(app) {
  look = (side, text) => lookFor(app, side, text);
  const filters = filtersIn(app.route.query, bookIds(app.words));
  const [a, b] = [chosen(app, "a"), chosen(app, "b")];
  for (const side of SIDES) if (chosen(app, side) === null) lookFor(app, side, app.state[side].typed);
  await latest.into(app, async (signal) => {
    const meeting = (/** @type {string} */ player, /** @type {string} */ other) => ifKnown(app.api.get("/head-to-head", { ...askedWith(filters), player, other }, signal));
    const read = async (/** @type {string | null} */ id) => {
      if (id === null) return null;
      /** @type {[Statistics, Awaited<ReturnType<typeof ratingHistory>>] | null} */
      const answers = await ifKnown(Promise.all([app.api.get(`/players/${id}/statistics`, askedWith(filters), signal), ratingHistory(app, id, filters, signal)]));
      if (answers === null) return { playerId: id, name: null, statistics: /** @type {any} */ (null), ratings: [] };
      const [statistics, ratings] = answers;
      return { playerId: id, name: statistics.name ?? (await playerName(app, id, filters, signal)), statistics, ratings: ratings.points };
    };
    const met = a !== null && b !== null && a !== b;
    const [first, second, one, other] = await Promise.all([read(a), read(b), met ? meeting(a, b) : null, met ? meeting(b, a) : null]);
    return { sides: { a: first, b: second }, meetings: { a: one, b: other } };
  });
}

/** @param {App<State>} app @param {Side} side @param {string} typed */
async function lookFor(app, side, typed) {
  const signal = searching[side].begin(app.signal);
  try {
    const result = await found(app, typed.trim(), signal);
    if (!signal.aborted) app.update({ [side]: { ...app.state[side], found: result } });
  } catch (error) {
    if (!signal.aborted) app.failed(error);
  }
}

/** @param {App<State>} app */
function view(app) {
  const texts = app.words.messages.statistics;
  const [a, b] = [chosen(app, "a"), chosen(app, "b")];
  return [
    h("div", { class: "stack" }, h("h1", null, texts.compare), h("p", { class: "soft" }, texts.compareLead)),
    h("div", { class: "sides" }, SIDES.map((side) => h("div", { class: `compare-side is-${side}`, key: side }, sideOf(app, side)))),
    a !== null && b !== null && [
      h("div", { class: "row" }, h("a", { class: "button", href: addressWith(app, { a: b, b: a }) }, texts.swap)),
      filterForm(app, filtersIn(app.route.query, bookIds(app.words))),
      freshnessNote(app, "statistics", app.state.meetings.a?.freshness, () => load(app)),
    ],
    h("div", { class: ["player-sections", app.state.loading && "is-loading"], "aria-busy": app.state.loading ? "true" : null }, content(app)),
  ];
}

/** A player, or a field to choose one. @param {App<State>} app @param {Side} side */
function sideOf(app, side) {
  const texts = app.words.messages.statistics;
  const id = chosen(app, side);
  const known = app.state.sides[side];
  if (id === null) return picker(app, side);
  const name = known !== null && known.playerId === id ? known.name ?? texts.unknown : "…";
  return h(
    "div",
    { class: "compare-player" },
    h("span", { class: "found-name" }, known?.name === null ? name : h("a", { href: playerPath(id) }, name), " ", marks(app, { player_id: id, kind: known?.statistics?.kind ?? null })),
    h("a", { class: "button", href: addressWith(app, { [side]: "" }), "aria-label": texts.changeLabel({ name }) }, texts.change),
  );
}

/** @param {App<State>} app @param {Side} side */
function picker(app, side) {
  const texts = app.words.messages.statistics;
  const search = app.state[side];
  const other = chosen(app, side === "a" ? "b" : "a");
  const oninput = (/** @type {string} */ typed) => {
    app.update({ [side]: { ...app.state[side], typed } });
    looks[side](typed);
  };
  const people = search.found?.people.filter((person) => person.player_id !== other) ?? [];
  return h(
    "div",
    { class: "searching stack" },
    searchField({ label: texts.choose({ side: side === "a" ? texts.chooseFirst : texts.chooseSecond }), hint: texts.searchHint, value: search.typed, id: `search-${side}`, oninput }),
    search.found !== null && people.length === 0 && h("p", { class: "soft" }, search.typed.trim() ? texts.nobodyNamed({ name: search.typed.trim() }) : texts.nobody),
    h("div", { class: "picker-list" }, foundList(app, { people: people.slice(0, 20), next: null, freshness: null }, `search-${side}`, (id) => addressWith(app, { [side]: id }))),
  );
}

/** @param {App<State>} app */
function content(app) {
  const texts = app.words.messages.statistics;
  const { sides: { a, b }, meetings, problem } = app.state;
  const [first, second] = [chosen(app, "a"), chosen(app, "b")];
  if (problem !== null) return failure(app, problem, () => load(app));
  if (first === null || second === null) return empty(texts.pickTwo, texts.searchHint);
  if (first === second) return empty(texts.same, texts.searchHint);
  if (a === null || b === null || a.playerId !== first || b.playerId !== second) return waiting(app.words.messages.shell.loading);
  if (a.name === null || b.name === null) return empty(texts.unknown, texts.unknownHint, h("a", { class: "button primary", href: "/players" }, texts.toPlayers));
  if (meetings.a === null || meetings.b === null) return waiting(app.words.messages.shell.loading);
  return comparison(app.words, [a, b], [meetings.a, meetings.b]);
}
