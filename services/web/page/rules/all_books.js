/** All books at a glance: the game in a minute, a card for each book, and a table that compares them. */

import { h } from "../core/render.js";
import { cup, die } from "../dice/die.js";
import { bookPicture } from "./book_picture.js";
import { BOOKS, bookTexts, bookTitle } from "./books.js";
import { COMPARED } from "./clauses.js";

/** @import {App} from "../core/page.js" */
/** @import {Children} from "../core/render.js" */
/** @import {Words} from "../words/words.js" */
/** @import {BookId} from "./books.js" */
/** @import {RulesState} from "./rules_page.js" */

/** @param {App<RulesState>} app @returns {Children} */
export function allBooks({ words, state }) {
  const texts = words.messages.rules;
  return [
    h("header", { class: "rules-head" }, h("h1", null, texts.headline), h("p", { class: "book-line" }, texts.intro)),
    h("ol", { class: "minute" }, texts.minute.map(({ title, told }, index) => h("li", { class: "card" }, h("div", { class: "minute-picture", "aria-hidden": "true" }, pictures(words)[index]), h("h2", null, title), h("p", null, told)))),
    h("section", { class: "stack", "aria-labelledby": "books-title" }, h("h2", { id: "books-title" }, texts.books), h("p", { class: "soft" }, texts.booksTold),
      h("ul", { class: "list book-ways" }, state.books.map((book) => h("li", { key: book.id }, h("a", { href: `/rules/${book.id}` }, bookPicture(book.id),
        h("span", { class: "book-title" }, bookTitle(words, book)), h("span", { class: "soft small" }, bookTexts(words, book.id)?.line)))))),
    compared(words),
  ];
}

/** @param {Words} words @returns {Children[]} */
function pictures(words) {
  const dice = (/** @type {[number, "counted" | "wild" | "dimmed" | null][]} */ faces) => h("span", { class: "dice" }, faces.map(([face, state]) => die(face, { words, wild: "skull", state })));
  return [
    [cup(), dice([[3, null], [3, null], [6, null]])],
    h("span", { class: "minute-bid" }, "4 ×", die(3, { words })),
    h("span", { class: "minute-bid" }, "4 ×", die(3, { words }), h("span", { class: "minute-arrow" }, "→"), "4 ×", die(5, { words })),
    dice([[5, "counted"], [1, "wild"], [2, "dimmed"], [5, "counted"], [6, "dimmed"]]),
  ];
}

/** @param {Words} words */
function compared(words) {
  const texts = words.messages.rules;
  const ids = BOOKS.map(({ id }) => /** @type {BookId} */ (id));
  return h("section", { class: "stack", "aria-labelledby": "compare-title" }, h("h2", { id: "compare-title" }, texts.compare), h("div", { class: "scroll compare", tabindex: 0, role: "group", "aria-labelledby": "compare-title" }, h(
    "table",
    null,
    h("thead", null, h("tr", null, h("td", null), ids.map((id) => h("th", { scope: "col" }, h("a", { href: `/rules/${id}` }, bookTexts(words, id)?.title))))),
    h("tbody", null, COMPARED.map((row) => h("tr", null, h("th", { scope: "row" }, texts.rows[row]), ids.map((id) => h("td", null, texts.cells[id][row]))))),
  )));
}
