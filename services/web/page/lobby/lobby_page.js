/** The start: a game with one click, a table after one's own wishes, and the tables that are there. */

import { BOOKS, bookIn, toldBooks } from "../rules/books.js";
import { FIRST_DRAFT, fitting } from "./draft.js";
import { hero } from "./hero.js";
import { quickGame, setUp } from "./new_table.js";
import { setupForm } from "./setup_form.js";
import { openTables, runningTables } from "./table_lists.js";
import { tablesFor } from "./tables.js";
import { h } from "../core/render.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Rulebook} from "../../client/messages/types.js" */
/** @import {Draft} from "./draft.js" */
/** @import {Tables} from "./tables.js" */

/**
 * @typedef {object} LobbyState
 * @property {boolean | null} plays whether games can be played at this server; null until it is known
 * @property {"quick" | "table" | null} busy what is being set up
 * @property {Tables | null} tables
 * @property {boolean} failed whether the tables could not be read the last time
 * @property {boolean} allMine whether all of one's own tables are shown, or the first few
 * @property {Draft} draft
 * @property {Rulebook[]} books
 */

const LOOK_AGAIN_MILLISECONDS = 5_000;

/** @type {Page<LobbyState>} */
export default {
  initial: { plays: null, busy: null, tables: null, failed: false, allMine: false, draft: FIRST_DRAFT, books: BOOKS },
  title: ({ words }) => words.messages.lobby.title,
  width: "wide",
  enter,
  moved: choose,
  view: (app) => [
    hero(app, { quick: () => busyWith(app, "quick", () => quickGame(app)) }),
    h(
      "div",
      { class: "lobby" },
      openTables(app),
      app.state.plays !== false && setupForm(app, () => busyWith(app, "table", () => setUp(app, app.state.draft, bookIn(app.state.books, app.state.draft.book)))),
      runningTables(app),
    ),
  ],
};

/** @param {App<LobbyState>} app */
async function enter(app) {
  choose(app);
  app.session.plays().then((plays) => app.update({ plays }), () => null); // Then the tables can't be read either, and say so.
  toldBooks(app.api, app.signal).then((books) => app.update({ books }), () => null);
  await follow(app);
}

/** Take the book that the address names. @param {App<LobbyState>} app */
function choose(app) {
  const named = app.route.query.get("book");
  if (named === null || !app.state.books.some(({ id }) => id === named)) return;
  app.update({ draft: fitting(app.state.draft, bookIn(app.state.books, named)) });
  requestAnimationFrame(() => document.querySelector("#new-table")?.scrollIntoView({ block: "start" }));
}

/** Read the tables again and again, as long as somebody looks. @param {App<LobbyState>} app */
async function follow(app) {
  while (!app.signal.aborted) {
    if (document.visibilityState === "visible") await look(app);
    await pause(app.signal);
  }
}

/** @param {App<LobbyState>} app */
async function look(app) {
  try {
    app.update({ tables: await tablesFor(app), failed: false });
  } catch {
    app.update({ failed: true });
  }
}

/** Wait for a while; not longer than until the reader comes back or leaves. @param {AbortSignal} signal @returns {Promise<void>} */
function pause(signal) {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", over);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, LOOK_AGAIN_MILLISECONDS);
    document.addEventListener("visibilitychange", over);
    signal.addEventListener("abort", over);
  });
}

/** @param {App<LobbyState>} app @param {"quick" | "table"} busy @param {() => Promise<void>} act */
async function busyWith(app, busy, act) {
  if (app.state.busy !== null) return;
  app.update({ busy });
  app.announce(app.words.messages.lobby.settingUp);
  try {
    await act();
  } catch (error) {
    app.failed(error);
  }
  app.update({ busy: null });
}
