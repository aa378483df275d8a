/** The table: to play at and, for those who look on, to watch. */

import { problemOf } from "../core/problem.js";
import { h } from "../core/render.js";
import { center } from "./center.js";
import { desk, isFree } from "./desk.js";
import { dialogs } from "./dialogs.js";
import { ending } from "./ending.js";
import { follow } from "./follow.js";
import { pressed } from "./keys.js";
import { lastRound } from "./last_round.js";
import { log } from "./log.js";
import { diceInPlay, isOwnTurn, lookOf, standingBid } from "./looks.js";
import { ownSeat } from "./own_dice.js";
import { proofNote } from "./proof_note.js";
import { others } from "./seats.js";
import { INITIAL } from "./table_state.js";
import { waitingRoom } from "./waiting_room.js";
import { track } from "../track/track.js";

/** @import {Page} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
/** @import {Game, GameView} from "../../client/messages/types.js" */
/** @import {TableApp, TableState} from "./table_state.js" */

/** @type {Page<TableState>} */
export default {
  initial: INITIAL,
  width: "wide",
  title: (app) => titleOf(app),
  enter: async (app) => {
    try {
      await follow(app);
    } catch (error) {
      if (!app.signal.aborted) app.update({ problem: problemOf(error) });
    }
  },
  view: (app) => {
    const { game, problem } = app.state;
    if (problem !== null) return stopped(app, problem);
    if (game === null) return loading(app);
    return h("div", { class: "table-page" }, head(app, game), game.view.phase === "gathering" ? waitingRoom(app, game) : atTheTable(app, game), dialogs(app));
  },
  key: pressed,
};

/** The turn stands in the title, for those who look at another window. @param {TableApp} app */
function titleOf({ state, words }) {
  const view = state.game?.view;
  if (!view) return words.messages.table.loading;
  return `${isOwnTurn(view) ? "▶ " : ""}${bookTitle(words, view.rulebook)}`;
}

/** @param {TableApp["words"]} words @param {string} rulebook */
function bookTitle(words, rulebook) {
  /** @type {Record<string, {title: string}>} */
  const books = words.messages.books;
  return books[rulebook]?.title ?? rulebook;
}

/** @param {TableApp} app @param {Game} game */
function head(app, { view, forkedFrom, spectatorDelaySeconds }) {
  const { words, state, update } = app;
  const texts = words.messages.table;
  return h(
    "header",
    { class: "table-head" },
    h("h1", null, bookTitle(words, view.rulebook)),
    view.round !== null && h("span", { class: "tag" }, texts.round({ number: view.round.number })),
    view.round?.palafico && h("span", { class: "tag is-palafico", title: texts.palaficoRound }, texts.palaficoTag),
    forkedFrom && h("span", { class: "tag" }, texts.practice),
    view.viewer === null && h("span", { class: "tag" }, texts.watching),
    view.viewer === null && spectatorDelaySeconds > 0 && h("span", { class: "tag" }, texts.late({ seconds: spectatorDelaySeconds })),
    h("span", { class: ["tag", "connection", state.connected && "is-there"], role: "status" }, state.connected ? "" : `⟳ ${texts.connection.lost}`),
    h(
      "span",
      { class: "head-actions" },
      view.moves.forfeit && h("button", { class: "plain", onclick: () => update({ dialog: "forfeit" }) }, texts.forfeit.button),
      h("button", { class: "plain", onclick: () => update({ dialog: "keys" }), "aria-keyshortcuts": "?" }, texts.keys.button, " ", h("kbd", { "aria-hidden": "true" }, "?")),
    ),
  );
}

/** @param {TableApp} app @param {Game} game */
function atTheTable(app, game) {
  const { view } = game;
  const ended = view.phase === "ended" && app.state.reveal === null;
  return h(
    "div",
    { class: "table-grid" },
    h(
      "div",
      { class: "table-main" },
      h("section", { class: ["felt", "table-felt", view.viewer === null && "is-watched", app.state.reveal !== null && "is-revealing"], onclick: () => app.state.reveal !== null && app.state.playback?.skip() }, others(app), center(app), ownSeat(app)),
      lookOf(view.rulebook).track && trackOf(app, view),
    ),
    h("div", { class: "table-right" }, ended ? ending(app, game) : desk(app), log(app)),
    h("aside", { class: "table-facts" }, lastRound(app), proofNote(app)),
  );
}

/** @param {TableApp} app @param {GameView} view */
function trackOf(app, view) {
  const { state, words } = app;
  const free = isFree(state) && isOwnTurn(view);
  const pick = (/** @type {import("../track/places.js").Space} */ { wild, quantity }) => app.update({ choice: { ...app.state.choice, ...(wild ? { wild: quantity } : { quantity }) } });
  return track({
    words, wildName: view.wildName, standing: state.reveal?.bid ?? standingBid(view), lowest: free ? view.moves.lowestBids : [], picked: state.choice,
    diceCount: diceInPlay(view), ...(free ? { pick } : {}),
  });
}

/** @param {TableApp} app */
function loading({ words, state }) {
  const texts = words.messages.table;
  return h("div", { class: "waiting table-loading" }, h("span", { class: "waiting-die", "aria-hidden": "true" }), h("p", { role: "status" }, state.connected ? texts.loading : `⟳ ${texts.connection.lost}`));
}

/** @param {TableApp} app @param {Problem} problem */
function stopped({ words }, problem) {
  const texts = words.messages.table;
  if (problem.reason !== "FALSE_SERVER") {
    return h("div", { class: "empty" }, h("h1", null, texts.broken.title), h("p", null, words.problem(problem)), h("a", { class: "button", href: "/" }, texts.end.lobby));
  }
  return h(
    "div",
    { class: "stop", role: "alert" },
    h("h1", null, texts.stop.title),
    h("p", null, texts.stop.told),
    h("pre", null, problem.message),
    h("p", null, texts.stop.keep),
  );
}
