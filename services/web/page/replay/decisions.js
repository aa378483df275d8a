/**
 * The decisions of a game, and what each of them cost by the odds that the seat saw.
 *
 * A raise costs by how much more often a challenge of the bid before would have been right. A challenge costs by how much more
 * often the bid holds than it fails. What bids say about the dice of others is left out, as in the statistics. A move that the
 * clock made is nobody's decision.
 */

/** @import {Eyes, Odds, Step} from "./types.js" */

/** @typedef {{version: number, round: number, seat: number, kind: "bid" | "challenge", chance: number | null, cost: number | null}} Decision */

/** From which cost on a decision is marked. */
export const COSTLY = 0.2;

/** @param {Step[]} steps @returns {Decision[]} */
export function decisionsOf(steps) {
  /** @type {Decision[]} */
  const decisions = [];
  /** @type {Odds | null} */
  let standing = null;
  let round = 0;
  for (const [index, { version, event, odds }] of steps.entries()) {
    if (event.type === "round_started") [round, standing] = [event.number, null];
    const byClock = steps[index - 1]?.event.type === "turn_timed_out";
    if (event.type === "bid_placed") decisions.push({ version, round, seat: event.seat, kind: "bid", ...weighedBid(event.seat, standing, odds, byClock) });
    if (event.type === "bid_challenged") decisions.push({ version, round, seat: event.seat, kind: "challenge", ...weighedChallenge(event.seat, standing, byClock) });
    standing = odds ?? standing;
  }
  return decisions;
}

/** The decisions that cost most, the dearest first. @param {Decision[]} decisions @param {Eyes} eyes @param {number} most */
export function dearest(decisions, eyes, most) {
  const costly = decisions.filter((one) => isCostly(one) && isKnown(one, eyes));
  return costly.sort((one, other) => (other.cost ?? 0) - (one.cost ?? 0)).slice(0, most);
}

/** @param {Decision} decision */
export function isCostly({ cost }) {
  return cost !== null && cost >= COSTLY;
}

/** Whether these eyes saw the odds of a decision. @param {Decision} decision @param {Eyes} eyes */
export function isKnown({ seat }, eyes) {
  return eyes === "everything" || eyes === seat;
}

/** @param {number} seat @param {Odds | null} before @param {Odds | null} after @param {boolean} byClock */
function weighedBid(seat, before, after, byClock) {
  const holds = after?.seats[seat] ?? null;
  const held = before?.seats[seat] ?? null;
  const cost = byClock || holds === null || held === null ? null : Math.max(0, 1 - held - holds);
  return { chance: holds, cost };
}

/** @param {number} seat @param {Odds | null} before @param {boolean} byClock */
function weighedChallenge(seat, before, byClock) {
  const held = before?.seats[seat] ?? null;
  return { chance: held === null ? null : 1 - held, cost: byClock || held === null ? null : Math.max(0, 2 * held - 1) };
}
