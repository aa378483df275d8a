/** How somebody plays: rating, results, luck beside judgement, bluffs and pace, with what each number means. */

import { h } from "../core/render.js";
import { waiting } from "../shell/frame.js";
import { freshnessNote, freshnessOf } from "../shell/freshness.js";
import { bookIds, filterForm, filtersIn, isFiltered } from "./filters.js";
import { countedAs, isMe, isPlayerId, isStrategy, marks } from "./identity.js";
import { judgement } from "./judgement_section.js";
import { Latest } from "./latest.js";
import { bluffing, overview, pace } from "./number_sections.js";
import { ifKnown, playerData, ratingHistory, worstOf } from "./player_data.js";
import { ratingSection } from "./rating_section.js";
import { recentGames } from "./games_section.js";
import { results } from "./results_section.js";
import { empty, failure } from "./states.js";
import { luckLine, whereItGoesWrong } from "./where_section.js";
import { worstDecisions } from "./worst_section.js";
import { whole } from "./written.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
/** @import {Freshness} from "../shell/freshness.js" */
/** @import {PlayerData} from "./player_data.js" */

/**
 * @typedef {object} State
 * @property {PlayerData | null} data
 * @property {boolean} loading
 * @property {boolean} unknown
 * @property {Problem | null} problem
 * @property {number | null} ratingAt the number of the rated game that the reader looks at
 * @property {"time" | "games"} ratingBy
 * @property {Freshness | null} behind how far the server is if it knows no such player
 */

const latest = new Latest();

/** @type {Page<State>} */
export default {
  initial: { data: null, loading: true, unknown: false, problem: null, ratingAt: null, ratingBy: "time", behind: null },
  title: ({ words, state }) => state.data?.name ?? words.messages.statistics.player,
  enter: load,
  moved: load,
  view,
  width: "wide",
};

/** @param {App<State>} app */
async function load(app) {
  const id = app.route.params.player ?? "";
  if (!isPlayerId(id)) return app.update({ unknown: true, loading: false });
  if (countedAs(id) !== id) return app.go(`/players/${countedAs(id)}${location.search}`, { replace: true });
  await latest.into(app, async (signal) => {
    const data = await ifKnown(playerData(app, id, filters(app), signal));
    const unknown = data === null || data.name === null;
    const now = unknown ? await freshnessOf(app, "statistics", signal) : null;
    return { data, unknown, ratingAt: null, behind: now === null || now.freshness.complete ? null : now.freshness };
  });
}

/** @param {App<State>} app */
async function loadOlder(app) {
  const { data } = app.state;
  if (data === null) return;
  await latest.into(app, async (signal) => ({ data: { ...data, ratings: await ratingHistory(app, data.playerId, filters(app), signal, data.ratings) } }));
}

/** @param {App<State>} app */
async function loadWorse(app) {
  const { data } = app.state;
  if (data === null) return;
  await latest.into(app, async (signal) => ({ data: { ...data, worst: await worstOf(app, data.playerId, filters(app), signal, data.worst) } }));
}

/** @param {App<State>} app */
function filters(app) {
  return filtersIn(app.route.query, bookIds(app.words));
}

/** @param {App<State>} app */
function view(app) {
  const { data, unknown, problem } = app.state;
  const texts = app.words.messages.statistics;
  if (unknown) return [h("h1", null, texts.unknown), freshnessNote(app, "statistics", app.state.behind, () => load(app)), empty(texts.unknownHint, texts.searchHint, h("a", { class: "button primary", href: "/players" }, texts.toPlayers))];
  if (problem !== null) return [h("h1", null, data?.name ?? texts.player), failure(app, problem, () => load(app))];
  if (data === null) return waiting(app.words.messages.shell.loading);
  return [
    heading(app, data),
    filterForm(app, filters(app)),
    freshnessNote(app, "statistics", data.statistics.freshness, () => load(app)),
    h("div", { class: ["player-sections", app.state.loading && "is-loading"], "aria-busy": app.state.loading ? "true" : null }, data.statistics.games === 0 ? nothing(app) : sections(app, data)),
  ];
}

/** @param {App<State>} app @param {PlayerData} data */
function sections(app, data) {
  return [
    overview(app, data),
    ratingSection(app, data, { older: () => loadOlder(app) }),
    results(app, data),
    judgement(app, data.statistics),
    luckLine(app.words, data.groups),
    whereItGoesWrong(app.words, data.groups),
    worstDecisions(app, data, { more: () => loadWorse(app) }),
    h("div", { class: "two-sections" }, bluffing(app.words, data.statistics), pace(app.words, data.statistics)),
    recentGames(app, data),
  ];
}

/** @param {App<State>} app @param {PlayerData} data */
function heading(app, { playerId, name, statistics }) {
  const { words, session } = app;
  const texts = words.messages.statistics;
  const count = (/** @type {number} */ value) => whole(words, value);
  const me = session.player?.playerId;
  const other = encodeURIComponent(playerId);
  return h(
    "div",
    { class: "player-heading" },
    h("div", { class: "row" }, h("h1", { class: "player-name" }, name), marks(app, { player_id: playerId, kind: statistics.kind })),
    h("p", { class: "soft", "data-measure": "kinds" }, texts.kindCounts({ ended: count(statistics.ended_games), practice: count(statistics.practice_games), abandoned: count(statistics.abandoned_games) })),
    statistics.private_games > 0 && h("p", { class: "soft", "data-measure": "private_games" }, texts.privateCounts({ count: statistics.private_games, text: count(statistics.private_games) })),
    isStrategy(playerId) && h("p", { class: "soft" }, texts.botTold),
    me && !isMe(app, playerId)
      ? h("a", { class: "button", href: `/compare?a=${encodeURIComponent(me)}&b=${other}` }, texts.compareWithMe)
      : h("a", { class: "button", href: `/compare?a=${other}` }, texts.compareWith),
    h("details", { class: "reading" }, h("summary", null, texts.reading), h("p", null, texts.readingTold)),
  );
}

/** @param {App<State>} app */
function nothing(app) {
  const texts = app.words.messages.statistics;
  if (isFiltered(filters(app))) return empty(texts.noGamesFit, texts.noGamesYetHint, h("a", { class: "button", href: app.route.path }, texts.clearFilters));
  return empty(texts.noGamesYet, texts.noGamesYetHint, h("a", { class: "button primary", href: "/" }, texts.start));
}
