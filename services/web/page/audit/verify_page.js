/** Checking any bundle: of a game of this server, or a file from the reader's disk. */

import { prefersStillness } from "../core/preferences.js";
import { h } from "../core/render.js";
import { bundleName, fetchedBundle } from "./bundle_source.js";
import { fileView } from "./file_view.js";
import { textsFor } from "./languages.js";
import { roundsView } from "./rounds_view.js";
import { seatsView } from "./seats_view.js";
import { checkBundle, keyCard, NO_CHECK, verifyCard } from "./verification_view.js";
import { NOT_VERIFIED } from "./verification.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Wanted} from "./bundle_source.js" */
/** @import {Checked} from "./verification_view.js" */

/** @typedef {{game: string, round: string, fetching: boolean, problem: string, name: string, recent: any[] | null}} OfChoice */
/** @typedef {OfChoice & Checked} VerifyState */

/** @type {VerifyState} */
const initial = { game: "", round: "", fetching: false, problem: "", name: "", recent: null, bytes: null, ...NO_CHECK };

/** @type {Page<VerifyState>} */
export default {
  initial,
  width: "wide",
  title: ({ words }) => words.messages.audit.verifyTitle,
  enter: async (app) => {
    app.api.get("/games", { result: "ended", page_size: 5 }, app.signal).then(({ games }) => app.update({ recent: games }), () => app.update({ recent: [] }));
    await entered(app);
  },
  moved: entered,
  view,
};

/** Check what the address names. @param {App<VerifyState>} app */
async function entered(app) {
  const { query } = app.route;
  const [game, round] = [query.get("game") ?? "", query.get("round") ?? ""];
  app.update({ game, round, problem: "", bytes: null, verification: NOT_VERIFIED });
  if (game !== "") await checkGame(app, { game, round: round === "" ? null : Number(round) });
}

/** @param {App<VerifyState>} app @param {Wanted} wanted */
async function checkGame(app, wanted) {
  app.update({ fetching: true });
  try {
    const bytes = await fetchedBundle(app, wanted);
    app.update({ bytes, name: bundleName(wanted), fetching: false });
    await check(app, bytes, app.state.trusted?.text ?? null);
  } catch (error) {
    if (!app.signal.aborted) app.update({ fetching: false, problem: app.words.problem(app.failed(error)) });
  }
}

/** @param {App<VerifyState>} app @param {File} file */
async function checkFile(app, file) {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    app.update({ bytes, name: file.name, problem: "", verification: NOT_VERIFIED });
    await check(app, bytes, app.state.trusted?.text ?? null);
  } catch {
    app.update({ problem: app.words.messages.audit.unreadable });
  }
}

/** @param {App<VerifyState>} app @param {Uint8Array} bytes @param {string | null} key */
function check(app, bytes, key) {
  scrollTo(0, 0);
  return checkBundle(app, bytes, key, prefersStillness());
}

/** @param {App<VerifyState>} app */
function view(app) {
  const texts = app.words.messages.audit;
  const { bytes, name, problem } = app.state;
  const { report } = app.state.verification;
  const inWords = textsFor(app);
  return [
    h("header", { class: "stack audit-lead", key: "lead" }, h("h1", null, texts.verifyTitle), bytes === null && h("p", { class: "soft" }, texts.verifyLead)),
    problem !== "" && h("p", { class: "audit-fact is-bad", role: "alert", key: "problem" }, problem),
    bytes !== null && h(
      "div",
      { class: "audit-round", key: "checked" },
      h("div", { class: "stack" }, verifyCard(app, (key) => check(app, bytes, key), name)),
      h("div", { class: "stack" }, keyCard(app, (key) => check(app, bytes, key))),
    ),
    report !== null && inWords !== null && h("div", { class: "stack", key: "about" }, roundsView(report, inWords, (clause) => `/rules/${report.rulebook}#${clause}`), seatsView(report, inWords)),
    bytes !== null && h("h2", { key: "more" }, texts.more),
    // What was checked stands above the ways to check something, where everybody sees it.
    h("div", { class: "audit-ways", key: "ways" }, gameView(app), fileView(texts, (file) => checkFile(app, file)), alongView(app)),
  ];
}

/** @param {App<VerifyState>} app */
function gameView(app) {
  const texts = app.words.messages.audit;
  const { fetching, game, recent, round } = app.state;
  return h(
    "form",
    { class: "card", onsubmit: (/** @type {SubmitEvent} */ event) => (event.preventDefault(), choose(app, game, round)) },
    h("h2", null, texts.byGame),
    h("label", null, texts.gameId, h("input", { name: "game", ".value": game, required: true, autocomplete: "off", spellcheck: "false", oninput: (/** @type {any} */ event) => app.update({ game: event.target.value.trim() }) })),
    h("label", null, texts.roundOrAll, h("input", { name: "round", ".value": round, inputmode: "numeric", pattern: "[1-9][0-9]*", oninput: (/** @type {any} */ event) => app.update({ round: event.target.value.trim() }) })),
    h("button", { class: "primary", disabled: fetching }, fetching ? texts.fetching : texts.fetch),
    h("div", { class: "audit-recent" }, (recent ?? []).length > 0 && h("p", { class: "small soft" }, texts.recent), h("ul", { class: "list" }, (recent ?? []).map((one) => recentView(one)))),
  );
}

/** @param {any} game */
function recentView({ game_id: id, seats }) {
  return h("li", { key: id }, h("a", { href: `/verify?game=${encodeURIComponent(id)}` }, seats.map((/** @type {any} */ seat) => seat.name).join(" · ")));
}

/** @param {App<VerifyState>} app @param {string} game @param {string} round */
function choose(app, game, round) {
  const address = `/verify?game=${encodeURIComponent(game)}${round === "" ? "" : `&round=${round}`}`;
  app.go(address);
}

/** @param {App<VerifyState>} app */
function alongView({ words }) {
  const texts = words.messages.audit;
  return h("section", { class: "card" }, h("h2", null, texts.takeAlong), h("p", { class: "soft" }, texts.takeAlongHint), h("p", null, h("a", { class: "button", href: "/verify.html", download: "" }, texts.takeVerifier)));
}
