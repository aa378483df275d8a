/** One line in which everything can be typed, with the grammar of the terminal. */

import { h } from "../core/render.js";
import { faceName } from "../dice/die.js";
import { WILD } from "./looks.js";
import { meaningOf } from "./typed_line.js";

/** @import {TableApp} from "./table_state.js" */
/** @import {Word} from "./typed_line.js" */

/** @param {TableApp} app */
export function commandLine(app) {
  const { state, words, update } = app;
  const texts = words.messages.table.line;
  const send = (/** @type {Event} */ event) => {
    event.preventDefault();
    carryOut(app, state.line);
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
  if (typed.kind === "bid") state.moves?.bid(typed.quantity, typed.face, typed.shown);
  else if (typed.kind === "show") state.moves?.show(typed.shown);
  else say(app, typed.word, typed.rest);
}

/** @param {TableApp} app @param {Word} word @param {string} rest */
export function say(app, word, rest = "") {
  const { state } = app;
  if (word === "unclear") return app.notify(app.words.messages.table.line.unclear, "bad");
  /** @type {Partial<Record<Word, () => unknown>>} */
  const done = {
    doubt: () => state.moves?.challenge(),
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
