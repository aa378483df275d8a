/** One book: how a round goes, what is special, and an example. */

import { h } from "../core/render.js";
import { die } from "../dice/die.js";
import { bookPicture } from "./book_picture.js";
import { bookIn, bookTexts } from "./books.js";
import { CLAUSES } from "./clauses.js";
import { exampleRound } from "./example_round.js";

/** @import {App} from "../core/page.js" */
/** @import {Words} from "../words/words.js" */
/** @import {BookId} from "./books.js" */
/** @import {RulesState} from "./rules_page.js" */

/** @param {App<RulesState>} app @param {BookId} id @param {() => void} play */
export function bookRules({ words, state }, id, play) {
  const texts = words.messages.rules;
  const book = bookIn(state.books, id);
  const told = bookTexts(words, id);
  const anchors = new Anchors();
  return [
    h("header", { class: "book-head", key: `head ${id}` },
      h("div", { class: "book-head-told" }, h("h1", null, told?.title), h("p", { class: "book-line" }, told?.line), h("p", null, told?.told),
        h("div", { class: "row" }, playButton(words, state, play), h("a", { class: "button", href: `/?book=${id}` }, texts.setUp))),
      bookPicture(id)),
    h("div", { class: "book-body", key: `body ${id}` },
      sentences(texts.round, texts.points[id].round, CLAUSES[id].round, "round", anchors),
      h("section", { class: "card points", "aria-labelledby": "special-title" }, h("h2", { id: "special-title" }, texts.special),
        h("p", { class: "faces" }, [1, 2, 3, 4, 5, 6].map((face) => die(face, { words, wild: book.wildName })), h("span", { class: "soft small" }, texts.faces[id])),
        list(texts.points[id].special, CLAUSES[id].special, anchors)),
      exampleRound(words, book, id)),
  ];
}

/** @param {Words} words @param {RulesState} state @param {() => void} play */
function playButton(words, { busy, plays }, play) {
  const texts = words.messages.rules;
  return plays !== false && h("button", { class: "primary", disabled: busy, onclick: play, key: "play" }, busy ? words.messages.lobby.settingUp : texts.play);
}

/** @param {string} title @param {string[]} told @param {string[]} clauses @param {string} id @param {Anchors} anchors */
function sentences(title, told, clauses, id, anchors) {
  return h("section", { class: "card points", "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), list(told, clauses, anchors, "ol"));
}

/** @param {string[]} told @param {string[]} clauses @param {Anchors} anchors */
function list(told, clauses, anchors, tag = "ul") {
  return h(tag, { class: "points-list" }, told.map((sentence, index) => {
    const cited = (clauses[index] ?? "").split(" ");
    return h("li", { class: cited.includes(addressed()) && "is-cited" }, sentence, " ", cited.map((clause) => [clauseMark(clause, anchors), " "]));
  }));
}

/** @param {string} clause @param {Anchors} anchors */
function clauseMark(clause, anchors) {
  return h("span", { class: "clause", id: anchors.first(clause) ? clause : null, tabindex: clause === addressed() ? -1 : null }, clause);
}

/** The clause that the address leads to, as links in audits do. */
function addressed() {
  return location.hash.slice(1);
}

/** Two sentences may rest on the same clause. Its links lead to the first of them. */
class Anchors {
  /** @type {Set<string>} */
  #given = new Set();

  /** @param {string} clause */
  first(clause) {
    const isFirst = !this.#given.has(clause);
    this.#given.add(clause);
    return isFirst;
  }
}
