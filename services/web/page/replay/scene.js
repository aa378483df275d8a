/** The table at a step: the seats with their dice, the standing bid between them, and how a challenge ended. */

import { cup, die } from "../dice/die.js";
import { h } from "../core/render.js";
import { oddsSeen } from "./table_view.js";

/** @import {Children} from "../core/render.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Recording} from "./recording.js" */
/** @import {Eyes, GameView, PlacedBid, SeatView, Settlement} from "./types.js" */

/** @typedef {{recording: Recording, step: number, eyes: Eyes, words: Words, view: GameView}} Scene */

/** From how many players on the seats stand in rows. */
const ROUND_TABLE_MAX = 6;

/** @param {Omit<Scene, "view">} where @returns {Children} */
export function scene({ recording, step, eyes, words }) {
  const view = recording.view(step, eyes);
  const texts = words.messages.replay;
  if (view === null) return h("div", { class: "replay-table is-empty", role: "group", "aria-label": texts.table }, h("p", { class: "replay-center" }, texts.happened.nothing));
  const told = { recording, step, eyes, words, view };
  const count = view.seats.length;
  return h(
    "div",
    { class: ["replay-table", count <= ROUND_TABLE_MAX && "is-round"], role: "group", "aria-label": texts.table, "data-phase": view.phase, style: { "--seats": count } },
    h("div", { class: "replay-center" }, center(told)),
    view.seats.map((seat) => seatAt(told, seat, count)),
  );
}

/** @param {Scene} told @param {SeatView} seat @param {number} count */
function seatAt(told, seat, count) {
  const { view, words, eyes } = told;
  const texts = words.messages.replay;
  // The seat through whose eyes one looks sits at the bottom.
  const turn = (seat.seat - (typeof eyes === "number" ? eyes : 0)) / count;
  const settlement = settlementOf(view);
  const loss = settlement?.losses.find((one) => one.seat === seat.seat);
  const isNext = view.phase === "bidding" && view.waiting.includes(seat.seat);
  const bid = view.bids.findLast((one) => one.seat === seat.seat);
  return h(
    "section",
    {
      key: seat.seat,
      class: ["replay-seat", isNext && "is-next", seat.out && "is-out", eyes === seat.seat && "is-mine", view.winner === seat.seat && "is-winner", loss && "is-loser"],
      "aria-label": seat.name,
      "data-seat": seat.seat,
      style: { "--x": Math.sin(turn * -2 * Math.PI).toFixed(4), "--y": Math.cos(turn * 2 * Math.PI).toFixed(4) },
    },
    h("header", null, h("span", { class: "replay-name" }, seat.name), badge(told, seat, isNext)),
    h("div", { class: "replay-dice" }, diceOf(told, seat)),
    h(
      "footer",
      null,
      h("span", null, texts.diceCount({ count: seat.dice_count })),
      seat.chips !== null && h("span", null, texts.chips({ count: seat.chips })),
      loss && loss.lost > 0 && h("strong", { class: "replay-loss" }, texts.lost({ count: loss.lost })),
      bid && h("span", { class: ["replay-said", bid === view.bids[view.bids.length - 1] && "is-standing"] }, bidPicture(told, bid)),
    ),
  );
}

/** @param {Scene} told @param {SeatView} seat @param {boolean} isNext @returns {Children} */
function badge({ view, words }, seat, isNext) {
  const texts = words.messages.replay;
  if (view.winner === seat.seat) return h("span", { class: "replay-badge is-good" }, texts.winner);
  if (seat.out) return h("span", { class: "replay-badge" }, texts.out);
  if (isNext) return h("span", { class: "replay-badge is-strong" }, texts.turn);
  if (view.phase === "rolling") return h("span", { class: "replay-badge" }, view.waiting.includes(seat.seat) ? texts.rolls : texts.hasRolled);
  return view.round?.opener === seat.seat && view.bids.length === 0 && view.phase !== "settling" && h("span", { class: "replay-badge" }, texts.opens);
}

/** @param {Scene} told @param {SeatView} seat @returns {Children} */
function diceOf(told, seat) {
  const { view, words } = told;
  const wild = view.wild_name;
  if (view.phase === "settling" || view.phase === "ended") return revealed(told, seat);
  if (view.phase !== "bidding") return !seat.out && h("span", { class: view.waiting.includes(seat.seat) && "is-waiting" }, cup());
  const hidden = seat.hidden ?? Array.from({ length: seat.hidden_count }, () => null);
  return [
    seat.shown.map((face, index) => die(face, { wild, words, state: "shown", key: `s${index}` })),
    hidden.map((face, index) => die(face, { wild, words, key: `h${index}` })),
  ];
}

/** The dice under a lifted cup, with those that count towards the bid. @param {Scene} told @param {SeatView} seat @returns {Children} */
function revealed({ view, words, recording, step }, seat) {
  const reveal = view.last_round;
  if (reveal === null || (view.round !== null && view.round.number !== reveal.number)) return null;
  const bid = reveal.settlement?.bid ?? null;
  // Whether ones count is the server's word: it has counted them.
  const counts = bid === null ? null : countsAt(recording, step)?.find((one) => one.seat === seat.seat) ?? null;
  return (reveal.dice[seat.seat] ?? []).map((face, index) => {
    const state = counts === null ? null : face === bid?.face ? "counted" : face === 1 && counts.wild > 0 ? "wild" : "dimmed";
    return die(face, { wild: view.wild_name, words, state, key: `h${index}` });
  });
}

/** @param {Recording} recording @param {number} step @returns {{seat: number, natural: number, wild: number}[] | null} */
function countsAt(recording, step) {
  const first = recording.roundAt(step)?.first ?? 1;
  for (let version = step; version >= first; version -= 1) {
    const event = recording.step(version)?.event;
    if (event?.type === "challenge_resolved") return event.counts;
  }
  return null;
}

/** @param {Scene} told @returns {Children} */
function center(told) {
  const { view, words, recording } = told;
  const texts = words.messages.replay;
  const settlement = settlementOf(view);
  const bid = view.bids[view.bids.length - 1] ?? settlement?.bid;
  return [
    view.winner !== null && h("p", { class: "replay-won" }, texts.won({ name: recording.name(view.winner) })),
    bid && [
      h("p", { class: "replay-kicker" }, texts.standingBid, " ", texts.bidBy({ name: view.seats[bid.seat]?.name ?? "" })),
      h("p", { class: "replay-bid" }, bidPicture(told, bid)),
    ],
    bid ? (settlement ? outcome(settlement, words) : oddsLine(told)) : view.phase === "bidding" && h("p", { class: "replay-kicker" }, texts.noBid),
    view.round?.palafico && h("p", { class: "replay-kicker" }, texts.palafico),
    (view.round_pot > 0 || view.game_pot > 0) && h("p", { class: "replay-kicker" }, texts.pots({ round: view.round_pot, game: view.game_pot })),
  ];
}

/** @param {Settlement} settlement @param {Words} words */
function outcome({ actual, winner, challenger }, words) {
  const texts = words.messages.replay;
  return h("p", { class: "replay-outcome" }, winner === challenger ? texts.failed({ actual }) : texts.held({ actual }));
}

/** @param {Scene} told @returns {Children} */
function oddsLine({ recording, step, eyes, words }) {
  const odds = oddsSeen(recording.step(step)?.odds ?? null, eyes);
  if (odds === null) return null;
  const texts = words.messages.replay;
  const own = typeof eyes === "number" ? odds.seats[eyes] ?? null : null;
  return h(
    "p",
    { class: "replay-odds", style: { "--chance": own ?? odds.public } },
    h("strong", null, words.percent(own ?? odds.public)),
    h("span", null, own === null ? texts.chancePublic : texts.chanceSeat({ name: recording.name(/** @type {number} */ (eyes)) })),
  );
}

/** How the challenge ended whose dice lie open. @param {GameView} view */
function settlementOf(view) {
  const isOpen = view.phase === "ended" || (view.phase === "settling" && view.round?.number === view.last_round?.number);
  return isOpen ? view.last_round?.settlement ?? null : null;
}

/** @param {Scene} told @param {PlacedBid} bid */
export function bidPicture({ view, words }, bid) {
  return h("span", { class: "replay-bid-picture" }, h("span", null, bid.quantity, " ×"), die(bid.face, { wild: view.wild_name, words }));
}
