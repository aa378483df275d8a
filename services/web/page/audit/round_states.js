/** What a round looks like that can't be shown, or not yet. */

import { h } from "../core/render.js";
import { waiting } from "../shell/frame.js";

/** @import {App} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
/** @import {RoundState} from "./round_page.js" */

/** @param {App<RoundState>} app @param {(code: string) => void} enterCode */
export function unseenRound(app, enterCode) {
  const { problem, waits } = app.state;
  if (problem === null) return waiting(app.words.messages.shell.loading);
  if (waits) return waitingRound(app, problem);
  if (["GAME_PRIVATE", "INVITATION_WRONG", "TOKEN_MISSING"].includes(problem.reason)) return privateRound(app, problem, enterCode);
  if (problem.reason === "PRACTICE_GAME") return practiceRound(app, problem);
  return missingRound(app, problem);
}

/** @param {App<RoundState>} app @param {Problem} problem */
function waitingRound({ route, state, words }, { reason }) {
  const texts = words.messages.audit;
  const delay = state.listing?.spectator_delay_seconds ?? 0;
  const why = reason === "ROUND_NOT_OVER" ? (delay > 0 ? texts.delayed({ seconds: words.number(delay) }) : texts.goesOn) : reason === "LOG_BEHIND" ? texts.logBehind : texts.noAnswer;
  return h(
    "div",
    { class: "empty", role: "status" },
    h("span", { class: "waiting-die", "aria-hidden": "true" }),
    h("h2", null, texts.waits),
    h("p", null, why),
    h("p", { class: "small" }, texts.triesAgain),
    reason === "ROUND_NOT_OVER" && h("a", { class: "button", href: `/watch/${encodeURIComponent(route.params.game ?? "")}` }, texts.watch),
  );
}

/** @param {App<RoundState>} app @param {Problem} problem @param {(code: string) => void} enterCode */
function privateRound(app, { reason }, enterCode) {
  const { state, update } = app;
  const texts = app.words.messages.audit;
  return h(
    "form",
    { class: "empty", onsubmit: (/** @type {SubmitEvent} */ event) => (event.preventDefault(), enterCode(app.state.code.trim())) },
    h("h2", null, texts.private),
    h("p", null, reason === "INVITATION_WRONG" ? texts.codeWrong : reason === "TOKEN_MISSING" ? texts.codeNeedsPlayer : texts.privateHint),
    h("label", null, texts.code, h("input", { ".value": state.code, required: true, autocomplete: "off", oninput: (/** @type {any} */ event) => update({ code: event.target.value }) })),
    h("button", { class: "primary" }, texts.enterCode),
  );
}

/** @param {App<RoundState>} app @param {Problem} problem */
function practiceRound({ words }, { metadata }) {
  const texts = words.messages.audit;
  return h("div", { class: "empty" }, h("h2", null, texts.practice), h("p", null, texts.practiceHint), h("a", { class: "button", href: `/games/${encodeURIComponent(metadata.forked_from ?? "")}` }, texts.toOriginal));
}

/** @param {App<RoundState>} app @param {Problem} problem */
function missingRound({ words }, problem) {
  const texts = words.messages.audit;
  const missing = ["ROUND_NOT_OVER", "NO_SUCH_GAME"].includes(problem.reason);
  return h("div", { class: "empty" }, h("h2", null, missing ? texts.noRound : words.messages.shell.failed), h("p", null, words.problem(problem)), h("a", { class: "button", href: "/games" }, texts.toGames));
}
