/** Everybody who has sat at a public table, and a field to find somebody. */

import { h } from "../core/render.js";
import { waiting } from "../shell/frame.js";
import { freshnessNote } from "../shell/freshness.js";
import { playerPath } from "./identity.js";
import { Latest } from "./latest.js";
import { afterPause, found, foundList, searchField } from "./search.js";
import { empty, failure, nobodyYet } from "./states.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
/** @import {Found} from "./search.js" */

/** @typedef {{typed: string | null, result: Found | null, loading: boolean, problem: Problem | null}} State `typed` is null until the reader types */

const latest = new Latest();
const look = afterPause((name) => lookFor?.(name));
/** @type {((name: string) => void) | null} */
let lookFor = null;

/** @type {Page<State>} */
export default {
  initial: { typed: null, result: null, loading: true, problem: null },
  title: ({ words }) => words.messages.statistics.players,
  enter: load,
  moved: load,
  view,
};

/** @param {App<State>} app */
async function load(app) {
  lookFor = (name) => !app.signal.aborted && app.go(name ? `/players?name=${encodeURIComponent(name)}` : "/players", { replace: true });
  const name = nameIn(app);
  await latest.into(app, async (signal) => {
    const result = await found(app, name, signal);
    if (name) app.announce(app.words.messages.statistics.found({ count: result.people.length }));
    return { result };
  });
}

/** @param {App<State>} app */
async function loadMore(app) {
  const { result } = app.state;
  if (result !== null) await latest.into(app, async (signal) => ({ result: await found(app, nameIn(app), signal, result) }));
}

/** @param {App<State>} app */
function nameIn({ route }) {
  return (route.query.get("name") ?? "").trim();
}

/** @param {App<State>} app */
function view(app) {
  const texts = app.words.messages.statistics;
  const oninput = (/** @type {string} */ typed) => {
    app.update({ typed });
    look(typed.trim());
  };
  return h(
    "div",
    { class: "stack searching" },
    h(
      "div",
      { class: "page-head" },
      h("h1", null, texts.players),
      h("p", { class: "soft" }, texts.playersLead),
      h("a", { class: "button", href: "/compare" }, texts.compare),
    ),
    searchField({ label: texts.search, hint: texts.searchHint, value: app.state.typed ?? nameIn(app), id: "player-search", oninput }),
    freshnessNote(app, "games", app.state.result?.freshness, () => load(app)),
    h("div", { class: ["found-area", app.state.loading && "is-loading"], "aria-busy": app.state.loading ? "true" : null }, results(app)),
  );
}

/** @param {App<State>} app */
function results(app) {
  const texts = app.words.messages.statistics;
  const { result, problem } = app.state;
  if (problem !== null) return failure(app, problem, () => load(app));
  if (result === null) return waiting(app.words.messages.shell.loading);
  if (result.people.length === 0 && nameIn(app)) return empty(texts.nobodyNamed({ name: nameIn(app) }), texts.searchHint, h("a", { class: "button", href: "/players", onclick: () => app.update({ typed: "" }) }, texts.clearSearch));
  if (result.people.length === 0) return nobodyYet(app);
  return [foundList(app, result, "player-search", playerPath), result.next !== null && h("button", { onclick: () => loadMore(app) }, texts.moreFound)];
}
