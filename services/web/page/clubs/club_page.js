/** A club: the table of a season, who came when, its members; for somebody who was invited, the way in. The code stands behind # and reaches no server's log. */

import { newRequestId } from "../../client/transport/connection.js";
import { Problem, problemOf } from "../core/problem.js";
import { h } from "../core/render.js";
import { signIn } from "../lobby/guest.js";
import { nameField } from "../lobby/name_field.js";
import { waiting } from "../shell/frame.js";
import { freshnessNote } from "../shell/freshness.js";
import { empty, failure } from "../statistics/states.js";
import { attendanceTable, seasonTable } from "./club_tables.js";
import { organising } from "./organising.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Children} from "../core/render.js" */
/** @import {Attendance, Club, SeasonTable} from "./types.js" */

/** @typedef {{club: Club | null, table: SeasonTable | null, attendance: Attendance | null, code: string, problem: Problem | null, outside: boolean, busy: boolean, copied: boolean, season: string}} State */

const UNSEEN = ["NO_SUCH_CLUB", "TOKEN_MISSING"];

/** @type {Page<State>} */
export default {
  initial: { club: null, table: null, attendance: null, code: "", problem: null, outside: false, busy: false, copied: false, season: "" },
  title: ({ state, words }) => state.club?.name ?? words.messages.clubs.club,
  width: "wide",
  enter: load,
  moved: load,
  view,
};

/** @param {App<State>} app */
async function load(app) {
  const path = `/clubs/${encodeURIComponent(app.route.params.club ?? "")}`;
  const season = app.route.query.get("season");
  const get = (/** @type {string} */ part) => app.api.get(`${path}${part}`, part === "" ? {} : { season }, app.signal);
  try {
    const [club, table, attendance] = await Promise.all([get(""), get("/table"), get("/attendance")]);
    app.update({ club, table, attendance, problem: null, outside: false });
    if (club.organiser_id === app.session.player?.playerId) await readCode(app, club.club_id);
  } catch (error) {
    if (app.signal.aborted) return;
    const problem = problemOf(error);
    app.update({ problem, club: null, outside: UNSEEN.includes(problem.reason) });
  }
}

/** Only the game server can open the code; one that only reads shows none. @param {App<State>} app @param {string} clubId */
async function readCode(app, clubId) {
  const answer = await app.session.client.call("ClubService", "GetClub", { clubId }).catch(() => ({ code: "" }));
  app.update({ code: String(answer.code ?? "") });
}

function codeHere() {
  return decodeURIComponent(location.hash.slice(1));
}

/** @param {App<State>} app @returns {Children} */
function view(app) {
  const { club, table, attendance, problem, outside } = app.state;
  const texts = app.words.messages.clubs;
  if (outside) return outsider(app);
  if (problem !== null) return [h("h1", null, texts.club), failure(app, problem, () => load(app))];
  if (club === null || table === null || attendance === null) return [h("h1", null, texts.club), waiting(app.words.messages.shell.loading)];
  return [
    h("div", { class: "page-head" }, h("h1", null, club.name), h("p", { class: "soft" }, texts.counts({ bots: club.counts_bots }))),
    seasons(app, club),
    h("section", { class: "stack" }, h("h2", null, texts.table), h("p", { class: "soft" }, texts.gameCount({ count: table.games }), " ", texts.pointsRule), freshnessNote(app, "statistics", table.freshness, () => load(app)), seasonTable(app, table), download(app, club)),
    h("section", { class: "stack" }, h("h2", null, texts.attendance), attendanceTable(app, attendance)),
    members(app, club),
  ];
}

/** @param {App<State>} app @param {Club} club */
function seasons(app, { seasons: all }) {
  const texts = app.words.messages.clubs;
  const shown = app.state.table?.season?.number ?? 0;
  const way = (/** @type {number} */ number, /** @type {string} */ name) =>
    h("a", { href: `${app.route.path}?season=${number}`, key: number, "aria-current": number === shown ? "true" : null }, name);
  return h("nav", { class: "tabs", "aria-label": texts.seasons }, all.toReversed().map(({ number, name }) => way(number, name)), way(0, texts.allGames));
}

/** @param {App<State>} app @param {Club} club */
function download(app, { club_id }) {
  const texts = app.words.messages.clubs;
  const take = async (/** @type {string} */ format) => {
    try {
      const season = app.state.table?.season?.number ?? 0;
      const answer = await app.api.fetch(`/clubs/${encodeURIComponent(club_id)}/games`, { season, format }, app.signal);
      const address = URL.createObjectURL(await answer.blob());
      const link = Object.assign(document.createElement("a"), { href: address, download: `${club_id}.${format}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(address));
    } catch (error) {
      app.failed(error);
    }
  };
  return h("p", { class: "row" }, ["csv", "ndjson"].map((format) => h("button", { key: format, onclick: () => take(format) }, texts.download({ format: format.toUpperCase() }))));
}

/** @param {App<State>} app @param {Club} club */
function members(app, club) {
  const texts = app.words.messages.clubs;
  const mine = club.organiser_id === app.session.player?.playerId;
  return h(
    "section",
    { class: "stack" },
    h("h2", null, texts.members),
    h("p", { class: "soft" }, texts.whoSees),
    h("ul", { class: "cards list" }, club.members.map(({ player_id, name }) => h("li", { key: player_id }, h("strong", null, name), " ", player_id === club.organiser_id && h("span", { class: "tag" }, texts.organiser)))),
    mine && organising(app, club, load),
  );
}

/** What somebody sees who is no member: the way in with a code, or that there is nothing. @param {App<State>} app @returns {Children} */
function outsider(app) {
  const texts = app.words.messages.clubs;
  if (codeHere() === "") return [h("h1", null, texts.club), empty(texts.unknown, texts.unknownHint, h("a", { class: "button", href: "/clubs" }, texts.title))];
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    join(app);
  };
  return h(
    "form",
    { class: "join card join-form", onsubmit: submit },
    h("h1", null, texts.invited),
    h("p", null, texts.invitedTold),
    nameField(app),
    h("button", { class: "primary", type: "submit", disabled: app.state.busy }, texts.join),
  );
}

/** @param {App<State>} app */
async function join(app) {
  if (app.state.busy) return;
  app.update({ busy: true });
  try {
    await signIn(app);
    await app.session.client.call("ClubService", "JoinClub", { requestId: newRequestId(), clubId: app.route.params.club ?? "", code: codeHere() });
    app.go(app.route.path, { replace: true }); // The code shall not stay in the history.
    await load(app);
  } catch (error) {
    app.failed(error);
  }
  app.update({ busy: false });
}
