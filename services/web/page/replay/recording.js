/** A game as it was played: its steps, the table after each of them, its rounds and its decisions. */

import { decisionsOf } from "./decisions.js";
import { statesOf } from "./fold.js";
import { viewOf } from "./table_view.js";

/** @import {Api} from "../core/api.js" */
/** @import {Book, Eyes, GameView, Listing, Step, Weighed} from "./types.js" */

/** @typedef {{number: number, first: number, last: number, over: boolean}} PlayedRound the steps of a round */

export class Recording {
  /** @param {Listing} listing @param {Book} book @param {Step[]} steps @param {Weighed[]} weighed @param {boolean} final */
  constructor(listing, book, steps, weighed, final) {
    this.listing = listing;
    this.book = book;
    this.steps = steps;
    this.final = final;
    this.states = statesOf(steps.map((step) => step.event));
    this.rounds = roundsOf(steps);
    this.decisions = decisionsOf(steps, weighed);
    /** The players as they sat at the end. */
    this.players = this.states[this.last]?.players ?? [];
  }

  /** The last step. */
  get last() {
    return this.steps.length;
  }

  /** Where a reader begins who names no step: when the first dice have fallen. */
  get beginning() {
    return this.steps.find((step) => step.event.type === "dice_dealt")?.version ?? Math.min(1, this.last);
  }

  /** A step; null for the one before the first. @param {number} version @returns {Step | null} */
  step(version) {
    return this.steps[version - 1] ?? null;
  }

  /** The table after a step. @param {number} version @param {Eyes} eyes @returns {GameView | null} */
  view(version, eyes) {
    return viewOf(this.states[version] ?? null, eyes, this.book.wild_name);
  }

  /** The round to which a step belongs; null before the first. @param {number} version @returns {PlayedRound | null} */
  roundAt(version) {
    return this.rounds.findLast((round) => round.first <= version) ?? null;
  }

  /** @param {number} seat */
  name(seat) {
    return this.players[seat]?.name ?? "";
  }
}

/** Read a game. @param {Api} api @param {string} game @param {AbortSignal} [signal] @returns {Promise<Recording>} */
export async function recordingOf(api, game, signal) {
  const path = `/games/${encodeURIComponent(game)}`;
  const [listing, { rulebooks }, page, { decisions }] = await Promise.all([
    api.get(path, {}, signal),
    api.get("/rulebooks", {}, signal),
    api.get(`${path}/steps`, {}, signal),
    api.get(`${path}/decisions`, {}, signal).catch(() => ({ decisions: [] })), // A game can be read without what its decisions cost.
  ]);
  const steps = page.steps;
  // A game of more than a thousand steps has more pages.
  while (steps.length < page.last_version) {
    const more = await api.get(`${path}/steps`, { after: steps.length }, signal);
    if (more.steps.length === 0) break;
    steps.push(...more.steps);
  }
  const book = rulebooks.find((/** @type {Book} */ one) => one.id === listing.rulebook);
  return new Recording(listing, book ?? { id: listing.rulebook, title: listing.rulebook, wild_name: "" }, steps, decisions, page.final);
}

/** @param {Step[]} steps @returns {PlayedRound[]} */
function roundsOf(steps) {
  /** @type {PlayedRound[]} */
  const rounds = [];
  for (const { version, event } of steps) {
    const running = rounds[rounds.length - 1];
    if (event.type === "round_started") rounds.push({ number: event.number, first: version, last: version, over: false });
    else if (running !== undefined && !running.over) Object.assign(running, { last: version, over: event.type === "round_ended" });
  }
  return rounds;
}
