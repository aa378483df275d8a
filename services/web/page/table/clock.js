/** The clock of a turn. */

import { h } from "../core/render.js";

/** @import {TableApp} from "./table_state.js" */

const HURRY_SECONDS = 10;

/** How many seconds are left; null without a clock. @param {TableApp["state"]} state */
export function secondsLeft({ game, now, skew }) {
  return game === null || game.due === null ? null : Math.max(0, Math.ceil((game.due + skew - now) / 1000));
}

/** @param {TableApp} app */
export function clock({ state, words }) {
  const seconds = secondsLeft(state);
  if (seconds === null) return null;
  const share = Math.min(1, seconds / (state.game?.view.options.turnSeconds || seconds || 1));
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return h(
    "span",
    { class: ["clock", seconds <= HURRY_SECONDS && "is-short"], role: "timer", "aria-label": words.messages.table.clock({ seconds }), style: { "--share": share } },
    seconds <= HURRY_SECONDS ? `! ${text}` : text,
  );
}
