/** What somebody sees who was invited: which book, who sits there, and a seat. The code stands behind # and reaches no server's log. */

import { Refused } from "../../client/index.js";
import { h } from "../core/render.js";
import { waiting } from "../shell/frame.js";
import { bookPicture } from "../rules/book_picture.js";
import { bookTexts } from "../rules/books.js";
import { signIn } from "./guest.js";
import { invitationTo } from "./invitation.js";
import { nameField } from "./name_field.js";
import { span } from "./option_fields.js";
import { sitDown } from "./seat.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Children} from "../core/render.js" */
/** @import {Invitation} from "./invitation.js" */

/** @typedef {{invitation: Invitation | null, failed: boolean, busy: boolean}} JoinState */

/** What has changed since we looked, if the server refuses a seat; then we look again. */
const LOOK_AGAIN = ["TABLE_FULL", "GAME_ALREADY_STARTED", "GAME_OVER", "INVITATION_WRONG", "PLAYER_ALREADY_SEATED", "NO_SUCH_GAME"];

/** @type {Page<JoinState>} */
export default {
  initial: { invitation: null, failed: false, busy: false },
  title: ({ words }) => words.messages.lobby.joinTitle,
  enter: look,
  view: (app) => h("div", { class: "join card" }, shown(app)),
};

/** @param {App<JoinState>} app */
async function look(app) {
  try {
    app.update({ invitation: await invitationTo(app, codeHere()), failed: false });
  } catch (error) {
    app.failed(error);
    app.update({ failed: true });
  }
}

function codeHere() {
  return decodeURIComponent(location.hash.slice(1));
}

/** @param {App<JoinState>} app @returns {Children} */
function shown(app) {
  const { invitation, failed } = app.state;
  const { lobby, shell } = app.words.messages;
  if (invitation !== null) return [heading(app, invitation), guests(app, invitation), whatNow(app, invitation)];
  if (!failed) return waiting(shell.loading);
  return [h("h1", null, lobby.joinTitle), h("p", null, shell.failed), h("p", null, h("button", { onclick: () => look(app) }, shell.again))];
}

/** @param {App<JoinState>} app @param {Invitation} invitation @returns {Children} */
function heading({ words }, { book, standing, diceEach, turnSeconds }) {
  const texts = words.messages.lobby;
  const told = bookTexts(words, book);
  const facts = [texts.diceCount({ count: diceEach }), turnSeconds === null ? texts.noClock : texts.aTurn({ time: span(turnSeconds, texts) })];
  return [
    book !== "" && h("div", { class: "join-picture", key: "picture" }, bookPicture(book)),
    h("h1", { key: "title" }, standing === "free" && !location.hash ? texts.joinOpenTitle : texts.joinTitle),
    book !== "" && h("p", { key: "told" }, texts.joinTold({ book: told?.title ?? book }), " ", told?.told),
    book !== "" && h("p", { class: "soft", key: "facts" }, facts.join(" · "), " · ", h("a", { href: `/rules/${encodeURIComponent(book)}` }, texts.linkTitle)),
  ];
}

/** @param {App<JoinState>} app @param {Invitation} invitation @returns {Children} */
function guests({ words }, { guests: there, seatsMax, standing }) {
  const texts = words.messages.lobby;
  if (there.length === 0) return null;
  const free = standing === "free" || standing === "full" ? seatsMax - there.length : 0;
  return h("section", { class: "join-seats", key: "seats", "aria-label": texts.whoSits }, h("h2", null, texts.whoSits), h("ul", { class: "list" },
    there.map(({ name, bot, owner }) => h("li", null, h("strong", null, name), bot && h("span", { class: "tag" }, texts.bot), owner && h("span", { class: "soft small" }, texts.owner))),
    Array.from({ length: free }, () => h("li", { class: "is-free" }, texts.emptySeat)),
  ));
}

/** @param {App<JoinState>} app @param {Invitation} invitation @returns {Children} */
function whatNow(app, { standing }) {
  const texts = app.words.messages.lobby;
  const game = encodeURIComponent(app.route.params.game ?? "");
  const told = (/** @type {string} */ text, /** @type {string} */ way, /** @type {string} */ label) =>
    h("div", { class: "join-now", key: standing, role: "status" }, h("p", null, text), h("a", { class: "button primary", href: way }, label));
  switch (standing) {
    case "seated": return told(texts.seated, `/play/${game}`, texts.toTable);
    case "full": return told(texts.full, "/", texts.ownTable);
    case "begun": return told(texts.begun, `/watch/${game}${location.hash}`, texts.watch);
    case "over": return told(texts.over, `/games/${game}`, texts.replay);
    case "wrong": return told(texts.wrongCode, "/", texts.ownTable);
    case "missing": return told(texts.noSuchTable, "/", texts.ownTable);
    default: return seatForm(app, standing === "secret");
  }
}

/** @param {App<JoinState>} app @param {boolean} secret */
function seatForm(app, secret) {
  const texts = app.words.messages.lobby;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    join(app);
  };
  return h(
    "form",
    { class: "join-form", key: "form", onsubmit: submit },
    secret && h("p", { class: "soft", key: "secret" }, texts.secretTable),
    nameField(app),
    h("button", { class: "primary", type: "submit", disabled: app.state.busy, key: "sit" }, app.state.busy ? texts.sittingDown : texts.sitDown),
  );
}

/** @param {App<JoinState>} app */
async function join(app) {
  if (app.state.busy) return;
  app.update({ busy: true });
  try {
    await signIn(app);
    const table = app.session.client.table(app.route.params.game ?? "", codeHere());
    await sitDown(app, table);
    app.go(`/play/${encodeURIComponent(table.gameId)}`, { replace: true }); // The code shall not stay in the history.
  } catch (error) {
    if (error instanceof Refused && LOOK_AGAIN.includes(error.reason)) await look(app);
    else app.failed(error);
  }
  app.update({ busy: false });
}
