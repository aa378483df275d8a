/** The keys of the table, where no field has taken them. */

import { stepped } from "./choice.js";
import { say } from "./command_line.js";
import { isFree } from "./desk.js";

/** @import {TableApp} from "./table_state.js" */
/** @import {Word} from "./typed_line.js" */

/** @type {Record<string, Word>} */
const WORDS = { d: "doubt", f: "forfeit", o: "odds", q: "quit", "?": "help" };
/** @type {Record<string, number>} */
const ALONG = { ArrowLeft: -1, ArrowRight: 1 };
/** @type {Record<string, number>} */
const STEPS = { ArrowUp: 1, ArrowDown: -1 };

/** @param {KeyboardEvent} event @param {TableApp} app */
export function pressed(event, app) {
  const { state } = app;
  if (state.reveal !== null) return taken(event, () => state.playback?.skip());
  const [word, along, step] = [WORDS[event.key], ALONG[event.key], STEPS[event.key]];
  const playing = state.game?.view.viewer !== null && state.game?.view.phase === "bidding";
  if (word !== undefined && (word !== "doubt" || isFree(state))) taken(event, () => say(app, word));
  else if (along !== undefined && playing) taken(event, () => moveFocus(along));
  else if (step !== undefined && playing && state.game) {
    const { view } = state.game;
    taken(event, () => app.update({ choice: stepped(view, state.choice, step) }));
  } else if (event.key === "/") taken(event, focusLine);
  else if (/^[\ds]$/.test(event.key)) focusLine(); // The key itself is typed there.
}

/** @param {KeyboardEvent} event @param {() => void} act */
function taken(event, act) {
  event.preventDefault();
  act();
}

function focusLine() {
  const line = document.querySelector("#line");
  if (line instanceof HTMLElement) line.focus();
}

/** Go to the next face that can be bid. @param {number} by */
function moveFocus(by) {
  const faces = [...document.querySelectorAll(".face:not(:disabled)")].filter((one) => one instanceof HTMLElement);
  const here = faces.findIndex((one) => one === document.activeElement);
  const next = here < 0 ? (by > 0 ? 0 : faces.length - 1) : (here + by + faces.length) % faces.length;
  faces[next]?.focus();
}
