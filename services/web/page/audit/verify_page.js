/** Checking any bundle: of a game of this server, or a file from the reader's disk. */

import { prefersStillness } from "../core/preferences.js";
import { h } from "../core/render.js";
import { bookTitle } from "../statistics/filters.js";
import { bundleName, fetchedBundle } from "./bundle_source.js";
import { fileView } from "./file_view.js";
import { textsFor } from "./languages.js";
import { patiently, WAITS } from "./patience.js";
import { isReceipts } from "./receipts.js";
import { roundsView } from "./rounds_view.js";
import { seatsView } from "./seats_view.js";
import { NOT_VERIFIED } from "./verification.js";
import { checkBundle, keyCard, NO_CHECK, recallKey, verifyCard } from "./verification_view.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
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
  recallKey(app);
  const { query } = app.route;
  const [game, round] = [query.get("game") ?? "", query.get("round") ?? ""];
  app.update({ game, round, problem: "", bytes: null, receipts: unused(app), verification: NOT_VERIFIED });
  if (game !== "") await checkGame(app, { game, round: round === "" ? null : Number(round) });
}

/** @param {App<VerifyState>} app @param {Wanted} wanted */
async function checkGame(app, wanted) {
  app.update({ fetching: true });
  const fetch = async () => {
    const bytes = await fetchedBundle(app, wanted);
    app.update({ bytes, name: bundleName(wanted), problem: "", fetching: false });
    await check(app, bytes, app.state.trusted?.text ?? null);
  };
  const wait = (/** @type {Problem} */ problem) => {
    // A game may go on for hours; its log is behind for a moment only.
    const waits = WAITS.has(problem.reason) && problem.reason !== "ROUND_NOT_OVER" && isWanted(app, wanted);
    app.update({ fetching: waits, problem: `${app.words.problem(problem)} ${waits ? app.words.messages.audit.triesAgain : ""}` });
    return waits;
  };
  await patiently(fetch, wait, app.signal);
}

/** Whether the address still names this bundle. @param {App<VerifyState>} app @param {Wanted} wanted */
function isWanted({ route }, { game }) {
  return route.query.get("game") === game;
}

/** @param {App<VerifyState>} app @param {File} file */
async function checkFile(app, file) {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const key = app.state.trusted?.text ?? null;
    if (isReceipts(bytes)) {
      app.update({ receipts: bytes, problem: "" });
      if (app.state.bytes === null) app.notify(app.words.messages.audit.receiptsTaken);
      else await check(app, app.state.bytes, key);
      return;
    }
    app.update({ bytes, name: file.name, problem: "", receipts: unused(app), verification: NOT_VERIFIED });
    await check(app, bytes, key);
  } catch {
    app.update({ problem: app.words.messages.audit.unreadable });
  }
}

/** Receipts that were brought before any bundle are for the next one. @param {App<VerifyState>} app */
function unused({ state }) {
  return state.bytes === null ? state.receipts : null;
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
    { class: "card", onsubmit: (/** @type {SubmitEvent} */ event) => (event.preventDefault(), choose(app)) },
    h("h2", null, texts.byGame),
    h("label", null, texts.gameId, h("input", { name: "game", ".value": game, required: true, autocomplete: "off", spellcheck: "false", oninput: (/** @type {any} */ event) => app.update({ game: event.target.value.trim() }) })),
    h("label", null, texts.roundOrAll, h("input", { name: "round", ".value": round, inputmode: "numeric", pattern: "[1-9][0-9]*", oninput: (/** @type {any} */ event) => app.update({ round: event.target.value.trim() }) })),
    h("button", { class: "primary", disabled: fetching }, fetching ? texts.fetching : texts.fetch),
    h("div", { class: "audit-recent" }, (recent ?? []).length > 0 && h("p", { class: "small soft" }, texts.recent), h("ul", { class: "list" }, (recent ?? []).map((one) => recentView(one, app.words)))),
  );
}

/** @param {any} game @param {App<VerifyState>["words"]} words */
function recentView({ game_id: id, rulebook, ended_at: at, created_at: begun, seats }, words) {
  const names = words.list(seats.map((/** @type {any} */ seat) => seat.name));
  return h("li", { key: id }, h("a", { href: `/verify?game=${encodeURIComponent(id)}` }, bookTitle(words, rulebook), ", ", words.time(at ?? begun)), h("span", { class: "small soft" }, " ", names));
}

/** Go to what is written in the fields now, which may be drawn later. @param {App<VerifyState>} app */
function choose(app) {
  const { game, round } = app.state;
  const address = `/verify?game=${encodeURIComponent(game)}${round === "" ? "" : `&round=${round}`}`;
  app.go(address);
}

/** @param {App<VerifyState>} app */
function alongView({ words }) {
  const texts = words.messages.audit;
  return h("section", { class: "card" }, h("h2", null, texts.takeAlong), h("p", { class: "soft" }, texts.takeAlongHint), h("p", null, h("a", { class: "button", href: "/verify.html", download: "" }, texts.takeVerifier)));
}
