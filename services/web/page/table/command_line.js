/** One line in which everything can be typed, with the grammar of the terminal. */

import { h } from "../core/render.js";
import { faceName } from "../dice/die.js";
import { lowestOf } from "./choice.js";
import { isOwnTurn, standingBid, WILD } from "./looks.js";
import { bidText } from "./sentences.js";
import { meaningOf } from "./typed_line.js";

/** @import {TableApp} from "./table_state.js" */
/** @import {Word} from "./typed_line.js" */

/** @param {TableApp} app */
export function commandLine(app) {
  const { state, words, update } = app;
  const texts = words.messages.table.line;
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const { line, moves } = app.state; // Not the state that was drawn: somebody may type faster than that.
    await moves?.idle();
    carryOut(app, line);
  };
  return h(
    "form",
    { class: "line", onsubmit: send },
    h("input", {
      id: "line", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "send", placeholder: state.game?.view.phase === "gathering" ? texts.hintRoom : texts.hint, "aria-label": texts.label,
      ".value": state.line, oninput: (/** @type {any} */ event) => update({ line: event.target.value }),
      onkeydown: (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && event.target instanceof HTMLElement && event.target.blur(),
    }),
    h("button", null, texts.send),
  );
}

/** Do what a line says. @param {TableApp} app @param {string} line */
export function carryOut(app, line) {
  const { state, words } = app;
  const wildName = state.game?.view.wildName ?? "";
  const typed = meaningOf(line, [wildName, faceName(WILD, wildName, words).toLowerCase()]);
  if (typed.kind === "bid") bid(app, typed);
  else if (typed.kind === "show") state.moves?.show(typed.shown);
  else say(app, typed.word, typed.rest);
}

/** Bid; what can't be legal is refused here, without asking the server. @param {TableApp} app @param {import("./typed_line.js").TypedBid} typed */
function bid({ state, words, notify }, { quantity, face, shown }) {
  const view = state.game?.view;
  const { refusals } = words.messages;
  if (!view || !isOwnTurn(view)) return notify(refusals.NOT_YOUR_TURN?.({}) ?? "", "bad");
  const lowest = lowestOf(view, face);
  if (lowest !== null && quantity >= lowest) return state.moves?.bid(quantity, face, shown);
  const standing = standingBid(view);
  const lowestBids = view.moves.lowestBids.map((one) => bidText(one, words, view)).join(", ");
  notify(refusals.BID_NOT_HIGHER?.({ bid: bidText({ quantity, face }, words, view), standing: standing === null ? "–" : bidText(standing, words, view), lowest: lowestBids }) ?? "", "bad");
}

/** @param {TableApp} app @param {Word} word @param {string} rest */
export function say(app, word, rest = "") {
  const { state } = app;
  if (word === "unclear") return app.notify(app.words.messages.table.line.unclear, "bad");
  const { refusals } = app.words.messages;
  const isOwn = state.game !== null && isOwnTurn(state.game.view);
  /** @type {Partial<Record<Word, () => unknown>>} */
  const done = {
    doubt: () => (state.game?.view.moves.challenge ? state.moves?.challenge() : app.notify(refusals[isOwn ? "NO_BID_TO_CHALLENGE" : "NOT_YOUR_TURN"]?.({}) ?? "", "bad")),
    roll: () => state.moves?.roll(),
    start: () => state.moves?.start(),
    bot: () => state.moves?.addBot(rest),
    help: () => app.update({ dialog: "keys" }),
    forfeit: () => state.game?.view.moves.forfeit && app.update({ dialog: "forfeit" }),
    leave: () => state.game?.view.moves.leave && app.update({ dialog: "leave" }),
    odds: () => app.prefer({ odds: !app.preferences.odds }),
    quit: () => app.go("/"),
  };
  app.update({ line: "" });
  done[word]?.();
}
