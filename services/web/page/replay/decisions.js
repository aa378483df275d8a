/**
 * The decisions of a game, and what each of them cost: the regret of the statistics, as the server counts it. It is the chance to be
 * right of the best decision less that of the decision taken, by the odds that the seat saw. A move that the clock made is nobody's
 * decision, and those of a round that goes on are not weighed yet.
 */

/** @import {Eyes, Step, Weighed} from "./types.js" */

/** @typedef {{version: number, round: number, seat: number, kind: "bid" | "challenge", chance: number | null, cost: number | null, weighed: Weighed | null}} Decision */

/** From which cost on a decision is marked. */
export const COSTLY = 0.2;

/** @param {Step[]} steps @param {Weighed[]} all as the server weighed them @returns {Decision[]} */
export function decisionsOf(steps, all) {
  const known = new Map(all.map((one) => [one.version, one]));
  /** @type {Decision[]} */
  const decisions = [];
  let round = 0;
  for (const { version, event } of steps) {
    if (event.type === "round_started") round = event.number;
    const kind = event.type === "bid_placed" ? "bid" : event.type === "bid_challenged" ? "challenge" : null;
    if (kind === null) continue;
    const weighed = known.get(version) ?? null;
    decisions.push({ version, round, seat: event.seat, kind, chance: weighed?.chance ?? null, cost: weighed?.regret ?? null, weighed });
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
