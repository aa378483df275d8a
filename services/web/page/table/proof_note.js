/** What the player's own browser has proven about the dice so far. */

import { h } from "../core/render.js";
import { nameOf } from "./sentences.js";

/** @import {TableApp} from "./table_state.js" */

/** @param {TableApp} app */
export function proofNote({ state, words }) {
  const { game, proven, provenDice } = state;
  const texts = words.messages.table.proof;
  if (game === null) return null;
  const { view } = game;
  return h(
    "section",
    { class: "proof" },
    h("h2", null, texts.title),
    proven === null || proven.dice === 0
      ? h("p", { class: "soft small" }, view.viewer === null ? texts.spectator : texts.none)
      : [
          h("p", { class: "good" }, "✓ ", h("strong", null, texts.all({ dice: proven.dice })), " ", provenDice < proven.dice && texts.news({ dice: provenDice })),
          h("p", { class: "soft small" }, texts.how({ links: proven.links, deals: proven.deals })),
          proven.heldByServer.length > 0 && h("p", { class: "soft small" }, texts.trusting({ names: words.list(proven.heldByServer.map((seat) => nameOf(view, seat))) })),
        ],
    view.phase === "ended" && h("p", null, h("a", { href: `/verify?game=${view.gameId}` }, texts.verify)),
  );
}
