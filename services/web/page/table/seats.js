/** The seats around the table: who sits there, how many dice are left, what was bid last, and whose turn it is. */

import { h } from "../core/render.js";
import { cup, die } from "../dice/die.js";
import { clock } from "./clock.js";
import { lastDice } from "./last_round.js";
import { isLifted, matchesIn } from "./reveal.js";
import { bidText } from "./sentences.js";

/** @import {SeatView} from "../../client/messages/types.js" */
/** @import {Reveal} from "./reveal.js" */
/** @import {TableApp} from "./table_state.js" */

/** More seats than these do not fit around the oval, so they stand in rows. */
const ROUND_MAX = 7;
const ARC_DEGREES_MAX = 216;
const ARC_DEGREES_EACH = 72;

/** The seats of the others, from the left hand of the one who looks. @param {TableApp} app */
export function others(app) {
  const view = app.state.game?.view;
  if (!view) return null;
  const own = view.viewer;
  const first = own === null ? 0 : own + 1;
  const seats = view.seats.map((_, index) => view.seats[(first + index) % view.seats.length]).filter((seat) => seat !== undefined && seat.seat !== own);
  const round = seats.length <= ROUND_MAX;
  return h(
    "ul",
    { class: ["seats", round ? "is-round" : "is-rows"], "aria-label": app.words.messages.table.seats },
    seats.map((seat, index) => seat && h(
      "li",
      { key: `seat ${seat.seat}`, class: seatClasses(app, seat), style: placeOf(index, seats.length) },
      bubble(app, seat.seat),
      diceOf(app, seat),
      plate(app, seat),
    )),
  );
}

/** Where a seat is on the oval, in shares of its half width and height. @param {number} index @param {number} count */
function placeOf(index, count) {
  const arc = Math.min(ARC_DEGREES_MAX, ARC_DEGREES_EACH * (count - 1));
  const degrees = 270 - arc / 2 + (count === 1 ? 0 : (arc * index) / (count - 1));
  const radians = (degrees * Math.PI) / 180;
  return { "--x": Math.cos(radians).toFixed(4), "--y": Math.sin(radians).toFixed(4) };
}

/** @param {TableApp} app @param {SeatView} seat */
export function seatClasses({ state }, { seat, out }) {
  const { view, connected } = /** @type {import("../../client/messages/types.js").Game} */ (state.game);
  const { reveal } = state;
  return [
    "seat",
    view.waiting.includes(seat) && reveal === null && "is-turn",
    out && "is-out",
    !connected.includes(seat) && "is-away",
    reveal?.bid.seat === seat && "is-bidder",
    reveal?.challenger === seat && "is-challenger",
  ];
}

/** Name, tags, dice and chips. @param {TableApp} app @param {SeatView} seat */
export function plate(app, seat) {
  const { state, words } = app;
  const texts = words.messages.table;
  const game = state.game;
  if (game === null) return null;
  const { view } = game;
  const turn = view.waiting.includes(seat.seat) && state.reveal === null;
  const bot = seat.kind === "bot";
  return h(
    "div",
    { class: "plate" },
    h("span", { class: "plate-name" }, turn && h("span", { class: "turn-mark", "aria-hidden": "true" }, "▶ "), seat.name),
    h(
      "span",
      { class: "plate-facts" },
      seat.seat === view.viewer && h("span", { class: "tag" }, texts.you),
      bot && h("span", { class: "tag" }, texts.bot),
      seat.out ? h("span", { class: "tag is-out" }, texts.out) : h("span", { class: "plate-dice" }, texts.dice({ count: seat.diceCount })),
      seat.chips !== null && h("span", { class: "chips" }, texts.chips({ count: seat.chips })),
      !bot && view.phase !== "ended" && !game.connected.includes(seat.seat) && h("span", { class: "tag is-away" }, texts.away),
    ),
    h("span", { class: "plate-turn" }, turn && [h("span", null, view.phase !== "bidding" ? texts.rollsNow : seat.seat === view.viewer ? texts.yourTurn : texts.thinking), view.phase === "bidding" && clock(app)]),
  );
}

/** What a seat has bid last in this round. @param {TableApp} app @param {number} seat */
export function bubble({ state, words }, seat) {
  const view = state.game?.view;
  const bid = view?.bids.findLast((one) => one.seat === seat);
  if (!view || bid === undefined) return h("div", { class: "bubble is-empty", "aria-hidden": "true" });
  const stands = view.bids.at(-1) === bid;
  const label = words.messages.table.says({ name: view.seats[seat]?.name ?? "", bid: bidText(bid, words, view) });
  return h(
    "div",
    { class: ["bubble", stands && "is-standing"], role: "img", "aria-label": label, key: `${seat} ${bid.quantity} ${bid.face}` },
    h("span", null, bid.quantity), "×", die(bid.face, { wild: view.wildName, words }),
  );
}

/** The dice of a seat: under the cup, shown, or all of them once the cup is lifted. @param {TableApp} app @param {SeatView} seat */
function diceOf(app, seat) {
  const { state, words } = app;
  const { reveal, game } = state;
  const wild = game?.view.wildName ?? "";
  const lifted = reveal !== null && isLifted(reveal, seat.seat);
  const covered = game?.view.phase === "bidding" || reveal !== null;
  const last = reveal === null && game?.view.phase === "ended" ? game.view.lastRound : null;
  if (last !== null && game) return h("div", { class: "seat-dice is-lifted" }, h("span", { class: "dice" }, lastDice(app, last, seat.seat)));
  return h(
    "div",
    { class: ["seat-dice", lifted && "is-lifted"] },
    !seat.out && covered && cup({ lifted }),
    h(
      "span",
      { class: "dice" },
      reveal !== null && lifted
        ? revealedDice(reveal, seat.seat, wild, words)
        : [
            seat.shown.map((face, index) => die(face, { wild, words, state: "shown", key: `shown ${index}` })),
            Array.from({ length: covered ? seat.hiddenCount : 0 }, (_, index) => die(null, { words, key: `hidden ${index}` })),
          ],
    ),
  );
}

/** Lifted dice: those that count are marked when their turn comes, wild ones otherwise than plain ones. @param {Reveal} reveal @param {number} seat @param {string} wild @param {TableApp["words"]} words */
export function revealedDice(reveal, seat, wild, words) {
  const matches = matchesIn(reveal);
  return (reveal.dice[seat] ?? []).map((face, index) => {
    const place = matches.findIndex((match) => match.seat === seat && match.index === index);
    const counted = place >= 0 && place < reveal.counted;
    const state = counted ? matches[place]?.how ?? null : reveal.told ? "dimmed" : null;
    return die(face, { wild, words, state, key: `open ${index}`, index });
  });
}
