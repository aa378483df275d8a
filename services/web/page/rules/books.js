/**
 * The books as the page knows them before the server has answered, so that nobody waits to see them. What the server says
 * afterwards wins; a test compares the two.
 */

import { rulebookOf } from "../../client/messages/games.js";

/** @import {Rulebook} from "../../client/messages/types.js" */
/** @import {Api} from "../core/api.js" */
/** @import {Words} from "../words/words.js" */

/** @typedef {"bidding-track" | "single-hand" | "pirates" | "prediction-track" | "palafico"} BookId */

/** What newcomers begin with. @type {BookId} */
export const FIRST_BOOK = "pirates";

/** @param {Partial<Rulebook> & {id: string, wildName: string}} told @returns {Rulebook} */
function book(told) {
  return { ...rulebookOf({}), version: 1, title: told.id, playersMin: 2, playersMax: 6, wild: true, ...told };
}

/** @type {Rulebook[]} */
export const BOOKS = [
  book({ id: "pirates", wildName: "skull", playersMax: 4 }),
  book({
    id: "single-hand",
    wildName: "ace",
    playersMax: 20,
    wild: false,
    wildAces: true,
    raiseRules: ["quantity_or_face", "same_face_or_higher_face", "beat_the_higher_number"],
    openerNamed: true,
  }),
  book({ id: "palafico", wildName: "one", playersMax: 4, openerNamed: true }),
  book({ id: "bidding-track", wildName: "star", showAndReroll: true, chips: true, openerNamed: true }),
  book({ id: "prediction-track", wildName: "wheel" }),
];

/** The books as the server tells them, in the page's order and new ones last. @param {Api} api @param {AbortSignal} signal */
export async function toldBooks(api, signal) {
  const { rulebooks } = await api.get("/rulebooks", {}, signal);
  return ordered(rulebooks.map(fromJson));
}

/** @param {Record<string, any>} told @returns {Rulebook} */
function fromJson(told) {
  const named = Object.entries(told).map(([name, value]) => [name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()), value]);
  const known = BOOKS.find(({ id }) => id === told.id);
  return { ...rulebookOf({}), openerNamed: known?.openerNamed ?? false, ...Object.fromEntries(named) };
}

/** @param {Rulebook[]} books */
function ordered(books) {
  const place = (/** @type {Rulebook} */ { id }) => (BOOKS.findIndex((one) => one.id === id) + BOOKS.length + 1) % (BOOKS.length + 1);
  return books.toSorted((one, other) => place(one) - place(other));
}

/** @param {Rulebook[]} books @param {string} id @returns {Rulebook} */
export function bookIn(books, id) {
  return books.find((one) => one.id === id) ?? book({ id, wildName: "" });
}

/** The texts of a book; null for one that this page does not know. @param {Words} words @param {string} id */
export function bookTexts(words, id) {
  return id in words.messages.books ? words.messages.books[/** @type {BookId} */ (id)] : null;
}

/** What a book is called. @param {Words} words @param {Pick<Rulebook, "id" | "title">} book */
export function bookTitle(words, { id, title }) {
  return bookTexts(words, id)?.title ?? title;
}
