/** The dice of the player, who sees under the own cup only. */

import { h } from "../core/render.js";
import { die, faceName } from "../dice/die.js";
import { toggled } from "./choice.js";
import { lastDice } from "./last_round.js";
import { countsAs, isWild, standingBid } from "./looks.js";
import { isLifted } from "./reveal.js";
import { bubble, plate, revealedDice, seatClasses } from "./seats.js";

/** @import {SeatView} from "../../client/messages/types.js" */
/** @import {TableApp} from "./table_state.js" */

/** @param {TableApp} app */
export function ownSeat(app) {
  const view = app.state.game?.view;
  const seat = view && view.viewer !== null ? view.seats[view.viewer] : undefined;
  if (seat === undefined) return null;
  return h(
    "section",
    { class: [...seatClasses(app, seat), "is-own"], "aria-label": app.words.messages.table.ownDice },
    bubble(app, seat.seat),
    h("div", { class: "own-dice" }, ownDice(app, seat)),
    plate(app, seat),
  );
}

/** @param {TableApp} app @param {SeatView} seat */
function ownDice(app, seat) {
  const { state, words } = app;
  const { reveal, game } = state;
  const wild = game?.view.wildName ?? "";
  if (reveal !== null && isLifted(reveal, seat.seat)) return h("span", { class: "dice" }, revealedDice(reveal, seat.seat, wild, words));
  const last = reveal === null && game?.view.phase === "ended" ? game.view.lastRound : null;
  if (last !== null) return h("span", { class: "dice" }, lastDice(app, last, seat.seat));
  return h(
    "span",
    { class: "dice", key: `round ${game?.view.round?.number ?? 0}` },
    seat.shown.map((face, index) => die(face, { wild, words, state: "shown", key: `shown ${index}`, index })),
    (seat.hidden ?? []).map((face, index) => hiddenDie(app, face, index, wild)),
    game?.view.phase !== "bidding" && game?.view.phase !== "ended" && reveal === null && Array.from({ length: seat.diceCount }, (_, index) => die(null, { words, key: `rolling ${index}`, index })),
  );
}

/** A die of the player's; one that can be shown is a button. @param {TableApp} app @param {number} face @param {number} index @param {string} wild */
function hiddenDie(app, face, index, wild) {
  const { state, words } = app;
  const view = state.game?.view;
  const chosen = state.choice.show.includes(index);
  const bid = view ? standingBid(view) : null;
  const fits = view && bid !== null && countsAs(face, bid.face, isWild(view)) !== null;
  const picture = die(face, { wild, words, state: chosen ? "chosen" : null, key: `hidden ${index}`, index });
  if (!view || view.moves.showMax === 0 || state.reveal !== null) return h("span", { class: ["own-die", fits && "fits"], key: `own ${index}` }, picture);
  const label = words.messages.table.show.die({ face: faceName(face, wild, words) });
  const onclick = () => app.update({ choice: toggled(view, app.state.choice, index) });
  return h("button", { class: ["plain", "own-die", fits && "fits"], key: `own ${index}`, "aria-pressed": String(chosen), "aria-label": label, onclick }, picture);
}
