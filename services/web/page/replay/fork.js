/** "Try it from here": a practice game that goes on from a step, against bots. */

import { problemOf } from "../core/problem.js";
import { h } from "../core/render.js";
import { signIn } from "../lobby/guest.js";

/** @import {App} from "../core/page.js" */
/** @import {Children} from "../core/render.js" */
/** @import {Recording} from "./recording.js" */
/** @import {Walk} from "./walk.js" */

/** @typedef {{seat: number | null, strategy: string, busy: boolean}} ForkWish */
/** @typedef {App<{fork: ForkWish} & Record<string, any>>} ForkingApp */

/** @type {ForkWish} */
export const NO_WISH = { seat: null, strategy: "calculating", busy: false };
const STRATEGIES = /** @type {const} */ (["calculating", "cautious", "bluffing"]);
/** After one of these the game waits for somebody. */
const WAITS = new Set(["roll_called", "rolled", "dice_dealt", "bid_placed", "dice_rerolled"]);

/** @param {ForkingApp} app @param {Walk} walk @returns {Children} */
export function forkPanel(app, walk) {
  const { words, state } = app;
  const texts = words.messages.replay;
  const seats = seatsToTake(walk);
  const change = (/** @type {Partial<ForkWish>} */ wish) => app.update({ fork: { ...app.state.fork, ...wish } });
  const refused = !walk.recording.final ? texts.forkNotOver : seats.length === 0 ? texts.forkNobody : null;
  return h(
    "form",
    { class: "replay-fork", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); tryFromHere(app, walk); } },
    h("p", { class: "soft small" }, refused ?? texts.forkLead),
    refused === null && h(
      "div",
      { class: "row" },
      h("label", null, texts.forkSeat, h(
        "select",
        { name: "seat", ".value": String(chosenSeat(walk, state.fork)), onchange: (/** @type {any} */ event) => change({ seat: Number(event.target.value) }) },
        seats.map((seat) => h("option", { value: seat }, walk.recording.name(seat))),
      )),
      h("label", null, texts.forkBots, h(
        "select",
        { name: "strategy", ".value": state.fork.strategy, onchange: (/** @type {any} */ event) => change({ strategy: event.target.value }) },
        STRATEGIES.map((one) => h("option", { value: one }, texts.strategies[one])),
      )),
    ),
    h("button", { class: "primary", type: "submit", disabled: refused !== null || state.fork.busy }, texts.fork),
  );
}

/** @param {ForkingApp} app @param {Walk} walk */
async function tryFromHere(app, walk) {
  const wish = app.state.fork;
  const seat = chosenSeat(walk, wish);
  if (wish.busy || seat === null) return;
  walk.pause();
  app.update({ fork: { ...wish, busy: true } });
  try {
    await signIn(app);
    const { game } = await app.session.client.call("GameService", "ForkGame", {
      requestId: crypto.randomUUID(),
      gameId: walk.recording.listing.game_id,
      version: String(walk.position.step),
      seat,
      strategy: wish.strategy,
    });
    app.go(`/play/${encodeURIComponent(game.view.gameId)}`);
  } catch (error) {
    app.update({ fork: { ...app.state.fork, busy: false } });
    if (problemOf(error).reason === "UNIMPLEMENTED") app.notify(app.words.messages.replay.readOnly, "bad");
    else app.failed(error);
  }
}

/** The seats that have dice when the game next waits for somebody. @param {Walk} walk */
function seatsToTake({ recording, position }) {
  const step = waitAfter(recording, position.step);
  const counts = step === null ? [] : recording.states[step]?.standing?.diceCounts ?? [];
  return [...counts.keys()].filter((seat) => counts[seat]);
}

/** @param {Recording} recording @param {number} step @returns {number | null} */
function waitAfter(recording, step) {
  for (let version = Math.max(1, step); version <= recording.last; version += 1) {
    const waits = WAITS.has(recording.step(version)?.event.type ?? "");
    if (waits && recording.view(version, "spectator")?.waiting.length) return version;
  }
  return null;
}

/** The seat that was chosen, if it still has dice; else the one through whose eyes one looks, or whose turn it is. @param {Walk} walk @param {ForkWish} wish @returns {number | null} */
function chosenSeat(walk, wish) {
  const seats = seatsToTake(walk);
  const turn = walk.recording.view(walk.position.step, "spectator")?.waiting[0];
  return seats.find((seat) => seat === wish.seat) ?? seats.find((seat) => seat === walk.position.eyes) ?? seats.find((seat) => seat === turn) ?? seats[0] ?? null;
}
