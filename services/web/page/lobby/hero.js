/** The first thing that a visitor sees: what this is, and one button that begins a game. */

import { h } from "../core/render.js";
import { laidCup, laidDie } from "../rules/book_picture.js";
import { nameField } from "./name_field.js";
import { ownTables } from "./table_lists.js";

/** @import {App} from "../core/page.js" */
/** @import {LobbyState} from "./lobby_page.js" */

/** @param {App<LobbyState>} app @param {{quick: () => void}} actions */
export function hero(app, actions) {
  const texts = app.words.messages.lobby;
  return h(
    "section",
    { class: "hero", "aria-labelledby": "hero-title" },
    h(
      "div",
      { class: "hero-told" },
      h("h1", { id: "hero-title" }, texts.headline),
      h("p", { class: "hero-line" }, texts.pitch),
      app.state.plays === false ? readOnly(texts) : begin(app, actions),
    ),
    h("div", { class: "hero-side" }, app.state.tables?.mine.length ? ownTables(app, app.state.tables.mine) : picture()),
  );
}

/** @param {App<LobbyState>} app @param {{quick: () => void}} actions */
function begin(app, { quick }) {
  const texts = app.words.messages.lobby;
  const begins = app.state.busy === "quick";
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    quick();
  };
  return h(
    "form",
    { class: "hero-begin", onsubmit: submit },
    nameField(app),
    h("button", { class: "primary quick", type: "submit", disabled: app.state.busy !== null, "aria-busy": begins ? "true" : null }, begins ? texts.settingUp : texts.quick),
    h("p", { class: "hero-hint" }, texts.quickHint, " ", h("a", { href: "/rules/pirates" }, texts.howTo)),
  );
}

/** @param {App<any>["words"]["messages"]["lobby"]} texts */
function readOnly(texts) {
  return h("div", { class: "hero-begin" }, h("p", { class: "hero-note" }, texts.readOnly), h("a", { class: "button primary quick", href: "/games" }, texts.readGames));
}

function picture() {
  return h(
    "svg",
    { class: "hero-picture", viewBox: "0 0 420 250", "aria-hidden": "true" },
    h("ellipse", { class: "picture-light", cx: 210, cy: 196, rx: 200, ry: 44 }),
    laidCup(86, 200, 96),
    laidCup(344, 196, 88),
    h("g", { class: "hero-cup" }, laidCup(214, 128, 118, -24)),
    [2, 5, 1, 5, 5].map((face, index) => h("g", { class: "hero-die", style: { "--index": index } }, laidDie({
      x: 148 + index * 34,
      y: 196 + (index % 2) * 16,
      size: 36,
      turn: [-12, 6, -4, 12, -8][index] ?? 0,
      face,
      wild: "skull",
    }))),
    h("g", { class: "hero-bubble" }, h("path", { d: "M262 22h108a18 18 0 0 1 18 18v32a18 18 0 0 1-18 18h-14l-2 24-22-24h-70a18 18 0 0 1-18-18V40a18 18 0 0 1 18-18Z" }),
      h("text", { x: 292, y: 68, "text-anchor": "middle" }, "6 ×"), laidDie({ x: 346, y: 56, size: 40, face: 5 })),
  );
}
