/** Work on a network, which may fail or take too long. */

import { Refused } from "./refusal.js";

/**
 * The outcome of work that the network may fail, or that may take too long; both count as no answer.
 *
 * @template Result
 * @param {number} seconds @param {AbortController} controller which ends the work @param {Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function within(seconds, controller, work) {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort();
  }, Math.max(0, seconds) * 1000);
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(late ? "deadline_exceeded" : "unavailable", late ? "it took too long" : "the line was cut");
  } finally {
    clearTimeout(timer);
  }
}
