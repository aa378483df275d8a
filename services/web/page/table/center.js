/** The middle of the table: the bid that stands, or the count of a challenge. */

import { prefersStillness } from "../core/preferences.js";
import { h } from "../core/render.js";
import { die } from "../dice/die.js";
import { diceInPlay, isOwnTurn, standingBid } from "./looks.js";
import { chanceOf } from "./odds.js";
import { bidText, nameOf } from "./sentences.js";

/** @import {Game, GameView} from "../../client/messages/types.js" */
/** @import {Reveal} from "./reveal.js" */
/** @import {TableApp} from "./table_state.js" */

/** @param {TableApp} app */
export function center(app) {
  const { game, reveal } = app.state;
  if (game === null) return null;
  return h("div", { class: "center" }, reveal !== null ? counted(app, reveal, game.view) : [status(app, game), standing(app, game.view), pots(app, game.view)]);
}

/** Whose turn it is, in words. @param {TableApp} app @param {Game} game */
function status({ words }, { view }) {
  const texts = words.messages.table;
  const [seat] = view.waiting;
  const own = isOwnTurn(view);
  let text = texts.rolling;
  if (view.phase === "choosing_opener") text = texts.choosing;
  else if (view.phase === "ended") text = texts.over;
  else if (view.phase === "bidding" && seat !== undefined) {
    const opens = view.bids.length === 0;
    if (own) text = opens ? texts.youOpen : texts.yourTurn;
    else text = (opens ? texts.opens : texts.turnOf)({ name: nameOf(view, seat) });
  }
  return h("p", { class: ["status", own && "is-own"] }, text);
}

/** @param {TableApp} app @param {GameView} view */
function standing({ words, preferences }, view) {
  const texts = words.messages.table;
  const bid = standingBid(view);
  if (bid === null) return h("p", { class: "standing is-empty" }, view.phase === "bidding" ? texts.noBid : "", view.phase !== "ended" && h("span", { class: "standing-more" }, texts.diceOnTable({ count: diceInPlay(view) })));
  return h(
    "div",
    { class: "standing", key: "standing" },
    h("span", { class: "standing-title" }, texts.standing),
    h(
      "span",
      { class: "standing-bid", role: "img", "aria-label": bidText(bid, words, view), key: `${bid.quantity} ${bid.face}` },
      h("span", { class: "standing-quantity" }, bid.quantity), h("span", { class: "times" }, "×"), die(bid.face, { wild: view.wildName, words }),
    ),
    h(
      "span",
      { class: "standing-more" },
      texts.byWhom({ name: nameOf(view, bid.seat) }), " · ", texts.diceOnTable({ count: diceInPlay(view) }),
      preferences.odds && [" · ", h("span", { class: "odds", title: texts.chanceHint }, texts.chance({ share: words.percent(chanceOf(view, bid)) }))],
    ),
  );
}

/** @param {TableApp} app @param {GameView} view */
function pots({ words }, view) {
  const texts = words.messages.table;
  if (!view.options.chips) return null;
  return h(
    "dl",
    { class: "pots" },
    h("div", null, h("dt", null, texts.roundPot), h("dd", { class: "chips" }, view.roundPot)),
    h("div", null, h("dt", null, texts.gamePot), h("dd", { class: "chips" }, view.gamePot)),
  );
}

/** Who has scrolled down to the moves should see the cups. @param {HTMLElement} element */
function intoView(element) {
  requestAnimationFrame(() => element.closest(".felt")?.scrollIntoView({ block: "nearest", behavior: prefersStillness() ? "auto" : "smooth" }));
}

/** @param {TableApp} app @param {Reveal} reveal @param {GameView} view */
function counted({ words }, reveal, view) {
  const texts = words.messages.table.reveal;
  const holds = reveal.actual >= reveal.bid.quantity;
  return h(
    "div",
    { class: ["counting", reveal.told && (holds ? "is-held" : "is-failed")], key: "counting", created: intoView },
    h("span", { class: "standing-title" }, texts.needed({ bid: bidText(reveal.bid, words, view) })),
    h("span", { class: "count", key: `count ${reveal.counted}` }, reveal.counted),
    h("span", { class: "count-of" }, texts.counted),
    reveal.told
      ? h("p", { class: "verdict" }, h("strong", null, holds ? `✓ ${texts.holds}` : `✗ ${texts.fails}`), reveal.losses.map(({ seat, lost }) => h("span", null, texts.loses({ name: nameOf(view, seat), count: lost }))))
      : h("p", { class: "verdict is-open" }, texts.skip),
  );
}
