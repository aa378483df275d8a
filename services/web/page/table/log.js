/** What happened, round by round, in the words of the table. The running round is open, the others can be unfolded. */

import { h } from "../core/render.js";
import { sentenceOf } from "./sentences.js";

/** @import {GameEvent, GameView} from "../../client/messages/types.js" */
/** @import {TableApp} from "./table_state.js" */

/** @typedef {{number: number, events: GameEvent[], ended: boolean}} LoggedRound number 0 is what came before the first */

/** @param {TableApp} app */
export function log(app) {
  const { events, game } = app.state;
  const texts = app.words.messages.table.log;
  if (game === null) return null;
  const rounds = roundsIn(events).reverse();
  return h(
    "section",
    { class: "log" },
    h("h2", null, texts.title),
    rounds.map((round, index) => h(
      "details",
      { key: `round ${round.number}`, class: "log-round", created: index === 0 ? open : undefined },
      h("summary", null, round.number === 0 ? texts.before : app.words.messages.table.round({ number: round.number })),
      h("ol", { class: "log-lines" }, round.events.map((event) => line(app, event, game.view))),
      round.number > 0 && round.ended && h("p", { class: "small" }, h("a", { href: `/games/${game.view.gameId}/rounds/${round.number}` }, texts.proof)),
    )),
  );
}

/** Unfold the newest round, and fold the one before. @param {HTMLDetailsElement} element */
function open(element) {
  element.open = true;
  requestAnimationFrame(() => {
    const before = element.nextElementSibling;
    if (before instanceof HTMLDetailsElement) before.open = false;
  });
}

/** @param {TableApp} app @param {GameEvent} event @param {GameView} view */
function line({ words }, event, view) {
  const sentence = sentenceOf(event, words, view);
  if (sentence === null) return null;
  const seat = view.viewer === null ? "" : `&seat=${view.viewer}`;
  const address = `/games/${view.gameId}?step=${event.version}${seat}`;
  return h("li", { key: event.version, class: `is-${event.type}` }, h("span", null, sentence), h("a", { href: address, title: words.messages.table.log.replay, "aria-label": `${event.version}: ${words.messages.table.log.replay}` }, event.version));
}

/** @param {GameEvent[]} events @returns {LoggedRound[]} */
export function roundsIn(events) {
  /** @type {LoggedRound[]} */
  const rounds = [{ number: 0, events: [], ended: false }];
  for (const event of events) {
    if (event.type === "RoundStarted") rounds.push({ number: event.number, events: [], ended: false });
    const round = /** @type {LoggedRound} */ (rounds.at(-1));
    round.events.push(event);
    if (event.type === "RoundEnded") round.ended = true;
  }
  return rounds.filter((round) => round.events.length > 0);
}
