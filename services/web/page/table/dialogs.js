/** The questions before something that can't be taken back, and the list of keys. */

import { h } from "../core/render.js";

/** @import {Children} from "../core/render.js" */
/** @import {TableApp} from "./table_state.js" */

/** @param {TableApp} app */
export function dialogs(app) {
  const { state, words } = app;
  const texts = words.messages.table;
  if (state.dialog === "keys") return keys(app);
  if (state.dialog === "forfeit") return question(app, texts.forfeit, () => state.moves?.forfeit());
  if (state.dialog === "leave") return question(app, texts.leave, () => state.moves?.leave());
  return null;
}

/** @param {TableApp} app @param {{title: string, told: string, yes: string, no: string}} texts @param {() => void} act */
function question(app, { title, told, yes, no }, act) {
  const close = () => app.update({ dialog: null });
  return modal(app, title, [
    h("p", null, told),
    h("div", { class: "row" }, h("button", { class: "primary", autofocus: true, onclick: close }, no), h("button", { class: "danger", onclick: () => { close(); act(); } }, yes)),
  ]);
}

/** @param {TableApp} app */
function keys(app) {
  const texts = app.words.messages.table.keys;
  return modal(app, texts.title, [
    h("dl", { class: "keys" }, texts.list.map(([key, meaning]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, meaning)))),
    h("button", { autofocus: true, onclick: () => app.update({ dialog: null }) }, texts.close),
  ]);
}

/** @param {TableApp} app @param {string} title @param {Children} content */
function modal(app, title, content) {
  return h(
    "dialog",
    {
      class: "stack", "aria-label": title, key: title,
      created: (/** @type {HTMLDialogElement} */ dialog) => queueMicrotask(() => dialog.isConnected && dialog.showModal()),
      onclose: () => app.update({ dialog: null }),
    },
    h("h2", null, title),
    content,
  );
}
