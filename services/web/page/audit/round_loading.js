/** Loading a round: what ends at once, and what is worth waiting for. */

import { problemOf } from "../core/problem.js";
import { verify } from "../verifier/index.js";
import { fetchedBundle } from "./bundle_source.js";

/** @import {App} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
/** @import {RoundState} from "./round_page.js" */

const WAITS = new Set(["LOG_BEHIND", "ROUND_NOT_OVER", "UNREACHABLE", "TOO_FAST", "READS_WAITING", "READ_TOO_MUCH"]);
const WAIT_SECONDS_MIN = 1;
const WAIT_SECONDS_MAX = 10;

/** Load a round, and wait for it as long as it makes sense. @param {App<RoundState>} app @param {string} [code] */
export async function loadRound(app, code = "") {
  const wanted = { game: app.route.params.game ?? "", round: Number(app.route.params.round) };
  app.update({ problem: null });
  for (let tries = 0; !app.signal.aborted; tries += 1) {
    try {
      await loadSurroundings(app);
      const bytes = await fetchedBundle(app, wanted, code);
      const report = await verify(bytes);
      app.update({ bytes, report, problem: null });
      return;
    } catch (error) {
      const problem = problemOf(error);
      const ends = !WAITS.has(problem.reason) || isMissing(app, problem);
      app.update({ problem, waits: !ends });
      if (ends) return;
      await paused(problem.retrySeconds ?? Math.min(WAIT_SECONDS_MIN * 1.5 ** tries, WAIT_SECONDS_MAX), app.signal);
    }
  }
}

/** Whether a round that is not over never will be: the game is, and had fewer rounds. @param {App<RoundState>} app @param {Problem} problem */
function isMissing({ route, state }, problem) {
  return problem.reason === "ROUND_NOT_OVER" && state.listing?.ended_at != null && Number(route.params.round) > state.listing.rounds;
}

/** What stands around the round: the game, and its other rounds. A page without them is better than none. @param {App<RoundState>} app */
async function loadSurroundings({ api, route, signal, update }) {
  const path = `/games/${encodeURIComponent(route.params.game ?? "")}`;
  const [listing, answer] = await Promise.all([
    api.get(path, {}, signal).catch(() => null),
    api.get(`${path}/rounds`, {}, signal).catch(() => ({ rounds: [] })),
  ]);
  update({ listing, rounds: answer.rounds });
}

/** @param {number} seconds @param {AbortSignal} signal @returns {Promise<void>} */
export function paused(seconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
