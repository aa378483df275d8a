/** Looking for players by the beginning of their name, as the reader types. */

import { h } from "../core/render.js";
import { countedPeople, marks } from "./identity.js";
import { whole } from "./written.js";

/** @import {App} from "../core/page.js" */
/** @import {Freshness} from "../shell/freshness.js" */
/** @import {Person} from "./types.js" */

/** @typedef {{people: ReturnType<typeof countedPeople>, next: string | null, freshness: Freshness | null}} Found */

const PAUSE_MILLISECONDS = 180;
const WANTED = 20;
const PAGES_MAX = 5;

/** Players by the beginning of their name. Pages full of the server's bots give few players, so several are read. @param {App<any>} app @param {string} name @param {AbortSignal} signal @param {Found} [before]
 * @returns {Promise<Found>} */
export async function found(app, name, signal, before = { people: [], next: null, freshness: null }) {
  /** @type {Person[]} */
  const people = [];
  let { next, freshness } = before;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await app.api.get("/players", { name: name.slice(0, 40), page_size: page === 0 ? WANTED : 100, page_token: next }, signal);
    people.push(...answer.players);
    [next, freshness] = [answer.next_page_token, answer.freshness];
    if (next === null || countedPeople(people).length >= WANTED) break;
  }
  const known = new Set(before.people.map((person) => person.player_id));
  return { people: [...before.people, ...countedPeople(people).filter((person) => !known.has(person.player_id))], next, freshness };
}

/** Call something once the reader pauses. @param {(text: string) => void} call */
export function afterPause(call) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  return (/** @type {string} */ text) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => call(text), PAUSE_MILLISECONDS);
  };
}

/** The field. Down leads into the list. @param {{label: string, hint: string, value: string, id: string, oninput: (text: string) => void}} field */
export function searchField({ label, hint, value, id, oninput }) {
  return h(
    "div",
    { class: "search", onkeydown: walk },
    h("label", { for: id }, label),
    h("input", {
      id, type: "search", ".value": value, maxlength: 40, autocomplete: "off", spellcheck: "false", placeholder: hint, "aria-controls": `${id}-found`,
      oninput: (/** @type {any} */ event) => oninput(event.target.value),
    }),
  );
}

/** The list of players that were found. @param {App<any>} app @param {Found} result @param {string} id @param {(id: string) => string} pathOf */
export function foundList(app, { people }, id, pathOf) {
  const texts = app.words.messages.statistics;
  return h("ul", { class: "list found", id: `${id}-found`, onkeydown: walk }, people.map((person) => h(
    "li",
    { key: person.player_id },
    h(
      "a",
      { class: "found-player", href: pathOf(person.player_id) },
      h("span", { class: "found-name" }, person.name),
      marks(app, person),
      person.games !== null && h("span", { class: "found-games" }, texts.tables({ count: person.games, text: whole(app.words, person.games) })),
    ),
  )));
}

/** Up and down go from the field through the list. @param {KeyboardEvent} event */
function walk(event) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const all = [...(/** @type {Element} */ (event.currentTarget).closest(".searching")?.querySelectorAll("input[type=search], .found a") ?? [])];
  const next = all[all.indexOf(/** @type {Element} */ (document.activeElement)) + (event.key === "ArrowDown" ? 1 : -1)];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}
