/** The form for a table after one's own wishes: book, opponents, options. */

import { h } from "../core/render.js";
import { bookIn, bookTexts, bookTitle } from "../rules/books.js";
import { bookPicture } from "../rules/book_picture.js";
import { fitting, TEMPERS, waitsForPeople } from "./draft.js";
import { optionFields } from "./option_fields.js";

/** @import {App} from "../core/page.js" */
/** @import {Rulebook} from "../../client/messages/types.js" */
/** @import {Draft, Opponent} from "./draft.js" */
/** @import {LobbyState} from "./lobby_page.js" */

/** @param {App<LobbyState>} app @param {() => void} create */
export function setupForm(app, create) {
  const { words, state } = app;
  const texts = words.messages.lobby;
  const book = bookIn(state.books, state.draft.book);
  const change = (/** @type {Partial<Draft>} */ changes) => app.update({ draft: { ...app.state.draft, ...changes } });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    create();
  };
  return h(
    "form",
    { class: "setup", id: "new-table", onsubmit: submit, "aria-labelledby": "setup-title" },
    h("h2", { id: "setup-title" }, texts.newTable),
    h("fieldset", null, h("legend", null, texts.whichBook), h("div", { class: "book-cards" }, state.books.map((one) => bookCard(app, one)))),
    h("fieldset", null, h("legend", null, texts.opponents), opponentRows(app, book, change)),
    optionFields(app, book, change),
    h(
      "div",
      { class: "setup-end" },
      h("button", { class: "primary", type: "submit", disabled: state.busy !== null, "aria-busy": state.busy === "table" ? "true" : null },
        state.busy === "table" ? texts.settingUp : waitsForPeople(state.draft) ? texts.invite : texts.beginNow),
      h("p", { class: "soft small" }, waitsForPeople(state.draft) ? texts.inviteHint : texts.beginHint),
    ),
  );
}

/** @param {App<LobbyState>} app @param {Rulebook} book */
function bookCard({ words, state, update }, book) {
  const texts = bookTexts(words, book.id);
  const choose = () => update({ draft: fitting(state.draft, book) });
  return h(
    "div",
    { class: "book-card", key: book.id },
    h(
      "label",
      null,
      h("input", { class: "unseen", type: "radio", name: "book", value: book.id, ".checked": state.draft.book === book.id, onchange: choose }),
      bookPicture(book.id),
      h("span", { class: "book-title" }, bookTitle(words, book)),
      h("span", { class: "book-told" }, texts?.told ?? ""),
      h("span", { class: "book-tags" }, texts?.tags.map((tag) => h("span", { class: "tag" }, tag)), h("span", { class: "tag" }, words.messages.lobby.playersFromTo({ from: book.playersMin, to: book.playersMax }))),
    ),
    texts && h("a", { class: "book-rules small", href: `/rules/${book.id}` }, words.messages.lobby.rulesOf({ title: texts.title })),
  );
}

/** @param {App<LobbyState>} app @param {Rulebook} book @param {(changes: Partial<Draft>) => void} change */
function opponentRows({ words, state }, book, change) {
  const texts = words.messages.lobby;
  const { opponents } = state.draft;
  const others = (/** @type {Opponent[]} */ changed) => change(fitting({ ...state.draft, opponents: changed }, book));
  return h(
    "div",
    { class: "opponents" },
    h("ol", { class: "list" }, opponents.map((one, index) => h(
      "li",
      { class: "opponent" },
      h("span", { class: "opponent-number", "aria-hidden": "true" }, words.number(index + 2)),
      h("select", { "aria-label": texts.opponent({ number: index + 1 }), ".value": one, onchange: (/** @type {any} */ event) => others(opponents.with(index, event.target.value)) },
        h("option", { value: "person" }, texts.person), TEMPERS.map((temper) => h("option", { value: temper }, texts.tempers[temper].name))),
      h("button", { class: "plain", type: "button", disabled: opponents.length < book.playersMin, "aria-label": texts.removeOpponent({ number: index + 1 }), onclick: () => others(opponents.toSpliced(index, 1)) }, "×"),
      h("span", { class: "opponent-told soft small" }, one === "person" ? texts.personTold : texts.tempers[one].told),
    ))),
    h("div", { class: "row" },
      h("button", { type: "button", disabled: opponents.length >= book.playersMax - 1, onclick: () => others([...opponents, "calculating"]) }, texts.addBot),
      h("button", { type: "button", disabled: opponents.length >= book.playersMax - 1, onclick: () => others([...opponents, "person"]) }, texts.addPerson),
      h("span", { class: "soft small" }, texts.seats({ count: opponents.length + 1, max: book.playersMax })),
    ),
  );
}
