/** `/games/:game`: a game walked through, step by step, through anybody's eyes. */

import { Memory } from "../core/memory.js";
import { problemOf } from "../core/problem.js";
import { h } from "../core/render.js";
import { waiting } from "../shell/frame.js";
import { addressOf, placeIn } from "./address.js";
import { downloads } from "./downloads.js";
import { NO_WISH, forkPanel } from "./fork.js";
import { KEYS_ID, keysHelp } from "./keys_help.js";
import { costliest, movesOfRound } from "./moves.js";
import { dicePicture, oddsPicture } from "./pictures.js";
import { recordingOf } from "./recording.js";
import { stage } from "./stage.js";
import { bookTitle } from "./telling.js";
import { Walk, walkByKey } from "./walk.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
/** @import {Children} from "../core/render.js" */
/** @import {LoggedRound} from "./downloads.js" */
/** @import {ForkWish} from "./fork.js" */
/** @import {Recording} from "./recording.js" */
/** @import {Position} from "./walk.js" */

/** @typedef {{problem: Problem | null, walk: Walk | null, position: Position | null, logged: LoggedRound[], fork: ForkWish}} State */

/** The address follows the reader, but not at every frame of a drag: browsers limit that. */
const ADDRESS_MILLISECONDS = 250;

const memory = new Memory();

/** @type {Page<State>} */
export default {
  initial: { problem: null, walk: null, position: null, logged: [], fork: NO_WISH },
  width: "wide",
  title: ({ state, words }) => (state?.walk ? words.messages.replay.ofGame({ book: bookTitle(state.walk.recording.book, words) }) : words.messages.replay.title),
  enter: load,
  moved: ({ route, state, session }) => {
    if (state.walk === null) return;
    const { recording, position } = state.walk;
    const { step, eyes } = placeIn(route.query, recording, session.player?.playerId ?? null);
    if (eyes !== position.eyes) state.walk.see(eyes);
    if (step !== null && step !== position.step) state.walk.to(step);
  },
  key: (event, { state }) => {
    if (event.key === "?") document.getElementById(KEYS_ID)?.togglePopover();
    else if (state.walk !== null) walkByKey(event, state.walk);
  },
  view: (app) => {
    const { walk, problem } = app.state;
    if (problem !== null) return failure(app, problem);
    return walk === null ? waiting(app.words.messages.shell.loading) : replay(app, walk);
  },
};

/** @param {App<State>} app */
async function load(app) {
  const game = app.route.params.game ?? "";
  app.update({ problem: null });
  try {
    const recording = await recordingOf(app.api, game, app.signal);
    const walk = new Walk(recording, placeIn(app.route.query, recording, app.session.player?.playerId ?? null), following(app, game));
    app.state.walk?.end();
    app.signal.addEventListener("abort", () => walk.end());
    app.update({ walk, position: walk.position });
    const { rounds } = await app.api.get(`/games/${encodeURIComponent(game)}/rounds`, {}, app.signal);
    app.update({ logged: rounds });
  } catch (error) {
    if (!app.signal.aborted && app.state.walk === null) app.update({ problem: problemOf(error) });
  }
}

/** Draw every change, and let the address follow. @param {App<State>} app @param {string} game */
function following(app, game) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return (/** @type {Position} */ position) => {
    app.update({ position });
    clearTimeout(timer);
    timer = setTimeout(() => {
      const now = app.state?.walk?.position;
      if (!app.signal.aborted && now) app.go(addressOf(game, now), { replace: true });
    }, ADDRESS_MILLISECONDS);
  };
}

/** @param {App<State>} app @param {Walk} walk @returns {Children} */
function replay(app, walk) {
  const { words } = app;
  const texts = words.messages.replay;
  const { recording, position } = walk;
  const { logged } = app.state;
  // While somebody drags the slider, everything is drawn sixty times a second. What does not depend on the step is kept.
  return h(
    "div",
    { class: "replay" },
    memory.keep("heading", [recording, words], () => heading(app, recording)),
    stage(walk, words, [
      h("button", { type: "button", class: "plain", onclick: () => share(app, walk) }, texts.share),
      h("button", { type: "button", class: "plain", popovertarget: KEYS_ID }, texts.help, " ", h("kbd", null, "?")),
    ]),
    h("div", { class: "replay-side" }, card(texts.moves, movesOfRound(walk, words)), card(texts.fork, forkPanel(app, walk))),
    h(
      "div",
      { class: "replay-below" },
      h("section", { class: "card" }, oddsPicture(walk, words)),
      h("section", { class: "card" }, dicePicture(walk, words)),
      memory.keep("costly", [walk, words, position.eyes], () => card(texts.costlyTitle, costliest(walk, words))),
      memory.keep("downloads", [recording, words, logged], () => card(texts.downloads, downloads({ recording, logged, api: app.api, words }))),
    ),
    memory.keep("keys", [words], () => keysHelp(words)),
  );
}

/** @param {App<State>} app @param {Recording} recording */
function heading(app, recording) {
  const { words } = app;
  const texts = words.messages.replay;
  const { listing, players, book, final } = recording;
  return h(
    "header",
    { class: "replay-head" },
    h("p", { class: "small" }, h("a", { href: "/games" }, texts.toList)),
    h("h1", null, bookTitle(book, words)),
    h("p", { class: "soft" }, words.list(players.map((player) => player.name)), " · ", words.time(listing.created_at), listing.rounds !== null && ` · ${texts.rounds({ rounds: listing.rounds })}`),
    listing.forked_from !== null && h("p", null, texts.forked, " ", h("a", { href: `${addressOf(listing.forked_from, { step: listing.forked_version ?? 0, eyes: "everything" })}` }, texts.forkedStep({ step: listing.forked_version ?? 0 }))),
    !final && h(
      "p",
      { class: "banner replay-running" },
      listing.spectator_delay_seconds > 0 ? `${texts.running} ${texts.delayed({ seconds: listing.spectator_delay_seconds })}` : texts.running,
      " ",
      h("a", { class: "button", href: `/watch/${encodeURIComponent(listing.game_id)}` }, texts.watch),
      h("button", { type: "button", onclick: () => load(app) }, texts.further),
    ),
  );
}

/** @param {string} title @param {Children} content */
function card(title, content) {
  return h("section", { class: "card" }, h("h2", null, title), content);
}

/** @param {App<State>} app @param {Walk} walk */
async function share(app, walk) {
  const address = new URL(addressOf(walk.recording.listing.game_id, walk.position), location.href).href;
  try {
    await navigator.clipboard.writeText(address);
    app.notify(app.words.messages.replay.shared, "good");
  } catch {
    app.notify(address); // A browser that lets no page write there: the reader copies it.
  }
}

/** @param {App<State>} app @param {Problem} problem */
function failure(app, problem) {
  const texts = app.words.messages.replay;
  /** @type {Record<string, [string, string]>} */
  const known = { GAME_PRIVATE: [texts.locked, texts.lockedHint], NO_SUCH_GAME: [texts.unknown, texts.unknownHint], INVALID_ARGUMENT: [texts.unknown, texts.unknownHint] };
  const [title, hint] = known[problem.reason] ?? [app.words.problem(problem), ""];
  return h(
    "div",
    { class: "empty", role: "alert", "data-reason": problem.reason },
    h("h1", null, title),
    hint && h("p", null, hint),
    h("p", { class: "row" }, known[problem.reason] === undefined && h("button", { type: "button", class: "primary", onclick: () => load(app) }, app.words.messages.shell.again), h("a", { class: "button", href: "/games" }, texts.toList)),
  );
}
