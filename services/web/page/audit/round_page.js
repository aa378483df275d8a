/** A round of a game: what the challenge was about, die by die, whether it holds, and what players say against it. */

import { prefersStillness } from "../core/preferences.js";
import { h } from "../core/render.js";
import { waiting } from "../shell/frame.js";
import { bundleName } from "./bundle_source.js";
import { disputesView } from "./disputes_view.js";
import { loadDisputes } from "./disputes.js";
import { textsFor } from "./languages.js";
import { logView } from "./log_view.js";
import { loadRound } from "./round_loading.js";
import { roundView } from "./round_view.js";
import { unseenRound } from "./round_states.js";
import { seatsView } from "./seats_view.js";
import { shownRound } from "./shown_round.js";
import { checkBundle, keyCard, NO_CHECK, recallKey, verifyCard } from "./verification_view.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
/** @import {Report} from "../verifier/report.js" */
/** @import {Disputes} from "./disputes.js" */
/** @import {Checked} from "./verification_view.js" */

/** A round as `/rounds` lists it. @typedef {{number: number, first_version: number, last_version: number | null, leaf_index: number | null, disputes: {seat: number, stands: boolean | null, closed: boolean}[]}} ListedRound */

/**
 * @typedef {object} OfRound
 * @property {Uint8Array | null} bytes the bundle
 * @property {Report | null} report what this browser makes of it
 * @property {Problem | null} problem why there is none
 * @property {boolean} waits whether the page tries again by itself
 * @property {any} listing
 * @property {ListedRound[]} rounds
 * @property {Disputes} disputes
 * @property {string} code what was typed as the code of a private table
 */
/** @typedef {OfRound & Checked} RoundState */

/** @type {RoundState} */
const initial = {
  ...{ bytes: null, report: null, problem: null, waits: false, listing: null, rounds: [], code: "" },
  ...{ disputes: { known: null, reason: "", sending: false }, ...NO_CHECK },
};

/** @type {Page<RoundState>} */
export default {
  initial,
  width: "wide",
  title: ({ route, words }) => words.messages.audit.roundTitle({ number: route.params.round ?? "" }),
  enter: async (app) => {
    recallKey(app);
    await loadRound(app);
    await loadDisputes(app);
  },
  view,
  key: (event, app) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step !== undefined) goBeside(app, step);
    else if (event.key === "v") check(app, app.state.trusted?.text ?? null);
  },
};

/** @param {App<RoundState>} app */
function view(app) {
  const texts = textsFor(app);
  const { report } = app.state;
  if (texts === null) return waiting(app.words.messages.shell.loading);
  const round = report?.rounds.at(-1);
  return [
    headView(app),
    report === null || round === undefined ? null : h(
      "div",
      { class: "audit-round" },
      h("div", { class: "stack" }, roundView(shownRound(report, round, texts), (clause) => `/rules/${report.rulebook}#${clause}`), seatsView(report, texts), disputesView(app)),
      h("div", { class: "stack" }, checkView(app), logView(app, report)),
    ),
    report === null && unseenRound(app, (code) => loadRound(app, code)),
    report !== null && round === undefined && brokenView(app),
  ];
}

/** A bundle of which nothing can be shown, because something in it is not so. @param {App<RoundState>} app */
function brokenView(app) {
  const texts = app.words.messages.audit;
  return [h("div", { class: "audit-changed", role: "alert" }, h("strong", null, texts.broken), h("p", null, texts.brokenHint)), checkView(app)];
}

/** @param {App<RoundState>} app */
function headView({ route, state, words }) {
  const texts = words.messages.audit;
  const game = encodeURIComponent(route.params.game ?? "");
  const number = Number(route.params.round);
  const listed = state.rounds.find((one) => one.number === number);
  return h(
    "header",
    { class: "audit-head" },
    h("h1", null, texts.roundTitle({ number })),
    h("nav", { class: "audit-beside", "aria-label": texts.rounds }, beside(state, game, number, -1, `← ${texts.previous}`), beside(state, game, number, 1, `${texts.next} →`)),
    h(
      "p",
      { class: "row" },
      h("a", { href: `/games/${game}` }, texts.toGame),
      listed && h("a", { href: `/games/${game}?step=${listed.last_version ?? listed.first_version}` }, texts.toStep),
      state.report?.rounds.at(-1)?.palafico && h("span", { class: "tag" }, texts.palafico),
    ),
  );
}

/** @param {RoundState} state @param {string} game @param {number} number @param {number} step @param {string} text */
function beside({ rounds }, game, number, step, text) {
  const there = rounds.some((one) => one.number === number + step);
  return there ? h("a", { class: "button", href: `/games/${game}/rounds/${number + step}`, key: step }, text) : h("button", { disabled: true, key: `${step}!` }, text);
}

/** @param {App<RoundState>} app @param {number} step */
function goBeside({ go, route, state }, step) {
  const number = Number(route.params.round) + step;
  if (state.rounds.some((one) => one.number === number)) go(`/games/${encodeURIComponent(route.params.game ?? "")}/rounds/${number}`);
}

/** @param {App<RoundState>} app */
function checkView(app) {
  const wanted = { game: app.route.params.game ?? "", round: Number(app.route.params.round) };
  const checked = (/** @type {string | null} */ key) => check(app, key);
  return [verifyCard(app, checked, bundleName(wanted)), keyCard(app, checked)];
}

/** @param {App<RoundState>} app @param {string | null} key */
async function check(app, key) {
  if (app.state.bytes !== null) await checkBundle(app, app.state.bytes, key, prefersStillness());
}
