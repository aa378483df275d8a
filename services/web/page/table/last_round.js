/** How the last round ended, with all its dice. */

import { h } from "../core/render.js";
import { die } from "../dice/die.js";
import { countsAs, isWild } from "./looks.js";
import { bidText, nameOf } from "./sentences.js";

/** @import {GameEvent, GameView, Reveal} from "../../client/messages/types.js" */
/** @import {TableApp} from "./table_state.js" */

/** @param {TableApp} app */
export function lastRound(app) {
  const { state, words } = app;
  const view = state.game?.view;
  const texts = words.messages.table;
  if (!view) return null;
  const last = view.lastRound;
  return h(
    "section",
    { class: "last-round" },
    h("h2", null, texts.lastRound.title),
    last === null ? h("p", { class: "soft small" }, texts.lastRound.none) : [verdict(app, view, last), h("ul", { class: "list" }, last.dice.map((hand, seat) => hand.length > 0 && h(
      "li",
      { class: "last-hand", key: seat },
      h("span", { class: "last-name" }, nameOf(view, seat)),
      h("span", { class: "dice" }, lastDice(app, last, seat)),
    )))],
  );
}

/** The dice of a seat in a round that is over; those that counted are marked. @param {TableApp} app @param {Reveal} last @param {number} seat */
export function lastDice({ state, words }, last, seat) {
  const view = state.game?.view;
  if (!view) return null;
  const wild = isWild(view, wasPalafico(state.events, last.number));
  return (last.dice[seat] ?? []).map((face) => die(face, { wild: view.wildName, words, state: stateOf(face, last, wild) }));
}

/** @param {TableApp} app @param {GameView} view @param {Reveal} last */
function verdict({ words }, view, { settlement }) {
  const texts = words.messages.table;
  if (settlement === null || settlement.bid === null) return h("p", { class: "small" }, texts.lastRound.unchallenged);
  const { bid, actual, losses } = settlement;
  return h(
    "p",
    { class: "small" },
    texts.lastRound.exact({ actual, bid: bidText(bid, words, view) }), ". ",
    losses.map(({ seat, lost }) => `${texts.reveal.loses({ name: nameOf(view, seat), count: lost })}. `),
  );
}

/** @param {number} face @param {Reveal} last @param {boolean} wild */
function stateOf(face, { settlement }, wild) {
  return settlement?.bid ? countsAs(face, settlement.bid.face, wild) ?? "dimmed" : null;
}

/** @param {GameEvent[]} events @param {number} number */
function wasPalafico(events, number) {
  return events.some((event) => event.type === "RoundStarted" && event.number === number && event.palafico);
}
