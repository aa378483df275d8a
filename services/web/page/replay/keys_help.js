/** What each key does in a replay. */

import { h } from "../core/render.js";

/** @import {Words} from "../words/words.js" */

export const KEYS_ID = "replay-keys";

/** @param {Words} words */
export function keysHelp(words) {
  const texts = words.messages.replay;
  /** @type {[string[], string][]} */
  const keys = [
    [["←", "→"], texts.keys.step],
    [["⇧ ←", "⇧ →", "Page ↑", "Page ↓"], texts.keys.round],
    [["n", "p"], texts.keys.decision],
    [["Home", "End"], texts.keys.ends],
    [["␣"], texts.keys.play],
    [["1", "…", "9"], texts.keys.seat],
    [["e"], texts.keys.everything],
    [["0"], texts.keys.spectator],
    [["?"], texts.keys.help],
  ];
  return h(
    "div",
    { id: KEYS_ID, popover: "auto", class: "replay-keys", role: "dialog", "aria-label": texts.help },
    h("h2", null, texts.help),
    h("dl", null, keys.map(([names, what]) => h("div", null, h("dt", null, names.map((name) => (name === "…" ? name : h("kbd", null, name)))), h("dd", null, what)))),
  );
}
