/** Loading a round: what ends at once, and what is worth waiting for. */

import { verify } from "../verifier/index.js";
import { fetchedBundle } from "./bundle_source.js";
import { patiently, WAITS } from "./patience.js";

/** @import {App} from "../core/page.js" */
/** @import {Problem} from "../core/problem.js" */
/** @import {RoundState} from "./round_page.js" */

/** Load a round, and wait for it as long as it makes sense. @param {App<RoundState>} app @param {string} [code] */
export async function loadRound(app, code = "") {
  const wanted = { game: app.route.params.game ?? "", round: Number(app.route.params.round) };
  app.update({ problem: null });
  const load = async () => {
    await loadSurroundings(app);
    const bytes = await fetchedBundle(app, wanted, code);
    app.update({ bytes, report: await verify(bytes), problem: null });
  };
  const wait = (/** @type {Problem} */ problem) => {
    const waits = WAITS.has(problem.reason) && !isMissing(app, problem);
    app.update({ problem, waits });
    return waits;
  };
  await patiently(load, wait, app.signal);
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
