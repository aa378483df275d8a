/** The rules in plain words: all five books, or one of them. */

import { h } from "../core/render.js";
import { quickGame } from "../lobby/new_table.js";
import { allBooks } from "./all_books.js";
import { bookRules } from "./book_rules.js";
import { BOOKS, bookTexts, bookTitle, toldBooks } from "./books.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Rulebook} from "../../client/messages/types.js" */
/** @import {BookId} from "./books.js" */

/** @typedef {{books: Rulebook[], plays: boolean | null, busy: boolean}} RulesState */

/** @type {Page<RulesState>} */
export default {
  initial: { books: BOOKS, plays: null, busy: false },
  title: ({ words, route }) => bookTexts(words, route.params.book ?? "")?.title ?? words.messages.rules.title,
  width: "wide",
  enter: (app) => {
    toldBooks(app.api, app.signal).then((books) => app.update({ books }), () => null); // The page knows them well enough.
    app.session.plays().then((plays) => app.update({ plays }), () => null);
  },
  view: (app) => {
    const id = app.route.params.book;
    if (id === undefined) return h("div", { class: "rules", key: "all" }, allBooks(app));
    return h("div", { class: "rules", key: id }, ways(app, id), id in app.words.messages.books ? bookRules(app, /** @type {BookId} */ (id), () => play(app, id)) : unknown(app), h("p", { class: "soft small" }, app.words.messages.rules.clauses));
  },
};

/** @param {App<RulesState>} app @param {string} here */
function ways({ words, state }, here) {
  const texts = words.messages.rules;
  return h("nav", { class: "book-nav", "aria-label": texts.books }, h("a", { href: "/rules" }, texts.all), state.books.map((book) => h("a", { href: `/rules/${book.id}`, "aria-current": book.id === here ? "page" : null, created: book.id === here ? showWhole : null }, bookTitle(words, book))));
}

/** On a phone the ways are wider than the screen. @param {Element} way */
function showWhole(way) {
  requestAnimationFrame(() => way.parentElement?.scrollTo({ left: /** @type {HTMLElement} */ (way).offsetLeft - 60 }));
}

/** @param {App<RulesState>} app */
function unknown({ words }) {
  return h("p", { class: "empty" }, words.messages.rules.unknown);
}

/** @param {App<RulesState>} app @param {string} book */
async function play(app, book) {
  if (app.state.busy) return;
  app.update({ busy: true });
  try {
    await quickGame(app, book);
  } catch (error) {
    app.failed(error);
  }
  app.update({ busy: false });
}
