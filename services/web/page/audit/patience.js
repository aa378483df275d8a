/** Trying again what is refused only for now, with growing pauses. */

import { problemOf } from "../core/problem.js";

/** @import {Problem} from "../core/problem.js" */

/** Refusals that end by themselves. */
export const WAITS = new Set(["LOG_BEHIND", "ROUND_NOT_OVER", "UNREACHABLE", "TOO_FAST", "READS_WAITING", "READ_TOO_MUCH"]);
const PAUSE_SECONDS_MIN = 1;
const PAUSE_SECONDS_MAX = 10;

/** Do something until it succeeds, or until `waits` says that a problem is none that ends by itself.
 * @param {() => Promise<void>} act @param {(problem: Problem) => boolean} waits @param {AbortSignal} signal */
export async function patiently(act, waits, signal) {
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      await act();
      return;
    } catch (error) {
      const problem = problemOf(error);
      if (signal.aborted || !waits(problem)) return;
      await paused(problem.retrySeconds ?? Math.min(PAUSE_SECONDS_MIN * 1.5 ** tries, PAUSE_SECONDS_MAX), signal);
    }
  }
}

/** @param {number} seconds @param {AbortSignal} signal @returns {Promise<void>} */
function paused(seconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
