/** What this server is, how its dice stay fair, and who is at this browser. */

import { LANGUAGES } from "../core/preferences.js";
import { h } from "../core/render.js";
import { LANGUAGE_NAMES } from "./frame.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Words} from "../words/words.js" */

/** Where the sentences about fairness lead. */
const PROOFS = /** @type {const} */ ([
  ["/verify", "verify"],
  ["/api/v1/checkpoint", "checkpoint"],
  ["/api/v1/export?format=ndjson", "exported"],
  ["/schema", "schema"],
]);

/** @type {Page<{}>} */
export default {
  initial: {},
  title: ({ words }) => words.messages.about.title,
  enter: () => {},
  view: (app) => h("div", { class: "about" }, h("h1", null, app.words.messages.about.title), h("p", { class: "book-line" }, app.words.messages.about.told), fairness(app.words), player(app), language(app)),
};

/** @param {Words} words */
function fairness({ messages: { about } }) {
  return h("section", { class: "card", "aria-labelledby": "fair-title" }, h("h2", { id: "fair-title" }, about.fairTitle),
    h("ol", { class: "points-list" }, about.fair.map((sentence) => h("li", null, sentence))),
    h("ul", { class: "list proofs" }, PROOFS.map(([way, name]) => h("li", null, h("a", { href: way }, h("strong", null, about.ways[name].name)), h("span", { class: "soft small" }, about.ways[name].told)))));
}

/** @param {App<{}>} app */
function player(app) {
  const { about } = app.words.messages;
  const known = app.session.player;
  return h("section", { class: "card", "aria-labelledby": "player-title" }, h("h2", { id: "player-title" }, about.playerTitle),
    h("p", null, known === null ? about.nobody : [about.playsAs, " ", h("a", { href: `/players/${encodeURIComponent(known.playerId)}` }, known.name), "."]),
    h("p", null, about.kept),
    known !== null && h("p", { key: "button" }, h("button", { class: "danger", onclick: () => dialog()?.showModal() }, about.forget)),
    h("dialog", { id: "forget", key: "dialog", "aria-labelledby": "forget-title" }, h("div", { class: "stack" },
      h("h2", { id: "forget-title" }, about.forgetTitle),
      h("p", null, about.lost),
      h("ul", null, about.losses.map((one) => h("li", null, one))),
      h("div", { class: "row" }, h("button", { class: "danger", onclick: () => forget(app) }, about.forgetNow), h("button", { onclick: () => dialog()?.close(), autofocus: true }, about.stay)))));
}

/** @returns {HTMLDialogElement | null} */
function dialog() {
  return document.querySelector("dialog#forget");
}

/** Forget who is here. The token is made invalid too, in case somebody has copied it. @param {App<{}>} app */
async function forget(app) {
  app.session.client.revokeToken().catch(() => null); // Without an answer it is at least forgotten here.
  await app.session.forget();
  await app.prefer({ name: "" });
  dialog()?.close();
  app.notify(app.words.messages.about.forgotten, "good");
  app.update({});
}

/** @param {App<{}>} app */
function language({ words, preferences, prefer }) {
  const { about, shell } = words.messages;
  return h("section", { class: "card", "aria-labelledby": "language-title" }, h("h2", { id: "language-title" }, shell.language), h("p", null, about.languageTold),
    h("div", { class: "row", role: "group", "aria-labelledby": "language-title" }, LANGUAGES.map((one) => h("button", { lang: one, "aria-pressed": String(one === preferences.language), onclick: () => prefer({ language: one }) }, LANGUAGE_NAMES[one]))));
}
