/** The end of a game: places, a rematch, and the ways to the replay and to the proof. */

import { h } from "../core/render.js";
import { nameOf } from "./sentences.js";

/** @import {Game} from "../../client/messages/types.js" */
/** @import {TableApp} from "./table_state.js" */

/** @param {TableApp} app @param {Game} game */
export function ending(app, { view }) {
  const texts = app.words.messages.table.end;
  const seat = view.viewer === null ? "" : `?seat=${view.viewer}`;
  return h(
    "section",
    { class: "desk ending", "aria-label": texts.places },
    h("h2", null, title(app, view)),
    view.abandoned !== null && h("p", { class: "soft" }, view.abandoned),
    h("ol", { class: "places" }, placesOf(view).map(({ place, seats }) => seats.map((one) => h(
      "li",
      { key: one, class: [place === 1 && "is-winner", one === view.viewer && "is-own"] },
      h("span", { class: "place" }, texts.place({ place })), h("span", null, nameOf(view, one)),
      view.seats[one]?.chips !== null && h("span", { class: "chips" }, app.words.messages.table.chips({ count: view.seats[one]?.chips ?? 0 })),
    )))),
    h(
      "div",
      { class: "row" },
      rematch(app, view.viewer !== null),
      h("a", { class: "button", href: `/games/${view.gameId}${seat}` }, texts.replay),
      h("a", { class: "button", href: `/verify?game=${view.gameId}` }, texts.verify),
      h("a", { class: "button", href: "/" }, texts.lobby),
    ),
  );
}

/** @param {TableApp} app @param {Game["view"]} view */
function title({ words }, view) {
  const texts = words.messages.table.end;
  if (view.winner === null) return texts.abandoned;
  return view.winner === view.viewer ? texts.youWon : texts.won({ name: nameOf(view, view.winner) });
}

/** Those who share a place stand together, and the next place is as much lower. @param {Game["view"]} view */
function placesOf({ places }) {
  return places.map((seats, index) => ({ seats, place: 1 + places.slice(0, index).reduce((sum, before) => sum + before.length, 0) }));
}

/** @param {TableApp} app @param {boolean} seated */
function rematch({ state, words }, seated) {
  const texts = words.messages.table.end;
  if (!seated) return null;
  const again = () => state.moves?.rematch();
  return h("button", { class: "primary", disabled: state.pending !== null, onclick: again }, state.rematchId ? texts.toRematch : texts.rematch);
}
