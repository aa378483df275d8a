/** Filters by book and time. They stand in the address, so that a view can be kept and passed on. */

import { h } from "../core/render.js";

/** @import {App} from "../core/page.js" */
/** @import {Children} from "../core/render.js" */
/** @import {Query} from "../core/api.js" */
/** @import {Words} from "../words/words.js" */

/** @typedef {{rulebook: string, since: string, until: string, played: string}} Filters days as a field of the form has them; empty if not set */

/** Years before this one are half typed. */
const DAY = /^2\d{3}-\d\d-\d\d$/;
export const PLAYED = /** @type {const} */ (["ended", "practice", "abandoned"]);

/** The filters in an address; what can't be one is left out. @param {URLSearchParams} query @param {string[]} books @returns {Filters} */
export function filtersIn(query, books) {
  const day = (/** @type {string} */ name) => (DAY.test(query.get(name) ?? "") && !Number.isNaN(Date.parse(query.get(name) ?? "")) ? query.get(name) ?? "" : "");
  const [rulebook, played] = [query.get("rulebook") ?? "", query.get("played") ?? ""];
  const [since, until] = [day("since"), day("until")];
  const turned = since !== "" && until !== "" && since > until;
  return { rulebook: books.includes(rulebook) ? rulebook : "", since: turned ? until : since, until: turned ? since : until, played: PLAYED.some((one) => one === played) ? played : "ended" };
}

/** Whether anything is left out. @param {Filters} filters */
export function isFiltered({ rulebook, since, until, played }) {
  return Boolean(rulebook || since || until || played !== "ended");
}

/** The filters as the server takes them. Days are those of the reader's clock, and the last one is included. @param {Filters} filters @returns {Query} */
export function askedWith({ rulebook, since, until, played }) {
  return { rulebook, since: startOfDay(since, 0), until: startOfDay(until, 1), played };
}

/** @param {string} day @param {number} later days @returns {number | null} */
function startOfDay(day, later) {
  if (day === "") return null;
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + later).getTime();
}

/** The address with other values in its query; empty ones go. @param {App<any>} app @param {Record<string, string>} change */
export function addressWith({ route }, change) {
  const query = new URLSearchParams(route.query);
  for (const [name, value] of Object.entries(change)) {
    if (value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return route.path + (text ? `?${text}` : "");
}

/** The name of a book in the reader's language. @param {Words} words @param {string} book */
export function bookTitle(words, book) {
  /** @type {Record<string, {title: string} | undefined>} */
  const books = words.messages.books;
  return books[book]?.title ?? book;
}

/** All books that the page knows. @param {Words} words */
export function bookIds(words) {
  return Object.keys(words.messages.books);
}

/** @param {App<any>} app @param {Filters} filters @param {{times?: boolean, played?: boolean, more?: Children}} [look] which fields there are */
export function filterForm(app, filters, { times = true, played = true, more = null } = {}) {
  const texts = app.words.messages.statistics;
  const change = (/** @type {string} */ name) => (/** @type {any} */ event) => {
    const { type, value } = event.target;
    // A browser tells of each digit of a year. The field would be emptied while somebody types in it.
    if (type !== "date" || value === "" || DAY.test(value)) app.go(addressWith(app, { [name]: value, after: "" }), { replace: true });
  };
  return h(
    "form",
    { class: "filters", "aria-label": texts.filters, onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    more,
    choice(texts.book, filters.rulebook, [["", texts.allBooks], ...bookIds(app.words).map((book) => /** @type {[string, string]} */ ([book, bookTitle(app.words, book)]))], change("rulebook")),
    played && choice(texts.played, filters.played, PLAYED.map((one) => [one, texts.playedKinds[one]]), change("played")),
    times && h("label", null, texts.since, h("input", { type: "date", ".value": filters.since, max: filters.until || null, onchange: change("since") })),
    times && h("label", null, texts.until, h("input", { type: "date", ".value": filters.until, min: filters.since || null, onchange: change("until") })),
    isFiltered(filters) && h("a", { class: "filters-clear", href: addressWith(app, { rulebook: "", since: "", until: "", played: "", after: "" }) }, texts.clearFilters),
  );
}

/** @param {string} label @param {string} value @param {[string, string][]} options @param {(event: any) => void} onchange */
export function choice(label, value, options, onchange) {
  return h("label", null, label, h("select", { ".value": value, onchange }, options.map(([one, text]) => h("option", { value: one }, text))));
}
