/** Where a doubt is set in advance. */

import { h } from "../core/render.js";
import { faceName } from "../dice/die.js";
import { FACES } from "./choice.js";
import { isOwnTurn, standingBid } from "./looks.js";

/** @import {TableApp} from "./table_state.js" */

/** @param {TableApp} app */
export function doubtField(app) {
  const { state, words, update } = app;
  const view = state.game?.view;
  const texts = words.messages.table.doubt;
  if (!view || view.viewer === null || view.seats[view.viewer]?.out) return null;
  const names = FACES.map((face) => faceName(face, view.wildName, words));
  if (state.doubt !== null) {
    const { quantity, face } = state.doubt;
    return h(
      "p",
      { class: "doubt is-set" },
      h("span", null, texts.planned({ quantity, face: face === null ? texts.anyFace : names[face - 1] ?? "" })),
      h("button", { class: "plain", onclick: () => update({ doubt: null }) }, texts.cancel),
    );
  }
  const { wish } = state;
  const least = (standingBid(view)?.quantity ?? 0) + 1;
  const quantity = wish.quantity || least;
  const off = view.phase !== "bidding" || isOwnTurn(view);
  const set = (/** @type {Event} */ event) => {
    event.preventDefault();
    const { quantity: wished, face } = app.state.wish;
    update({ doubt: { quantity: wished || least, face } });
  };
  return h(
    "form",
    { class: "doubt", onsubmit: set, "aria-label": texts.title },
    h("span", { class: "small", id: "doubt-at" }, texts.at),
    h("input", {
      type: "number", min: 1, max: 1000, ".value": String(quantity), "aria-labelledby": "doubt-at", disabled: off,
      oninput: (/** @type {any} */ event) => update({ wish: { ...app.state.wish, quantity: Number(event.target.value) || 0 } }),
    }),
    h(
      "select",
      {
        "aria-label": texts.of, disabled: off, ".value": String(wish.face ?? 0),
        onchange: (/** @type {any} */ event) => update({ wish: { ...app.state.wish, face: Number(event.target.value) || null } }),
      },
      h("option", { value: "0" }, texts.anyFace),
      names.map((name, index) => h("option", { value: String(index + 1) }, name)),
    ),
    h("button", { disabled: off }, texts.set),
  );
}
