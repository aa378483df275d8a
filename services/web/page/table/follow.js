/** Follows a game for as long as the page is open, through lost connections and restarts of the server. */

import { Unreachable } from "../../client/index.js";
import { Moves } from "./moves.js";
import { Playback } from "./playback.js";
import { seenByAll } from "./spectator.js";

/** @import {Table} from "../../client/index.js" */
/** @import {Game, Update} from "../../client/messages/types.js" */
/** @import {TableApp} from "./table_state.js" */

const TICK_MILLISECONDS = 500;

/** Show a game and all that happens in it. @param {TableApp} app */
export async function follow(app) {
  const playback = new Playback(app);
  app.update({ playback, now: Date.now() });
  ticking(app);
  const plays = app.route.path.startsWith("/play/") && app.session.player !== null;
  await (plays ? followAsPlayer(app, playback) : followAsSpectator(app, playback));
}

/** @param {TableApp} app @param {Playback} playback */
async function followAsPlayer(app, playback) {
  const table = app.session.client.table(app.route.params.game ?? "", location.hash.slice(1));
  const { version } = await standing(app, table);
  app.update({ moves: new Moves(app, table), connected: true });
  await show(table.watch({ ...watching(app), after: 0, pastEnd: true }), version, playback);
}

/** @param {TableApp} app @param {Playback} playback */
async function followAsSpectator(app, playback) {
  const game = app.route.params.game ?? "";
  const listed = await app.api.get(`/games/${encodeURIComponent(game)}`, {}, app.signal).catch(() => null); // A new table may not be listed yet.
  await show(seenByAll(app.api, game, watching(app)), listed?.events ?? 0, playback);
}

/** How the game stands now, as soon as the server answers. @param {TableApp} app @param {Table} table @returns {Promise<Game>} */
async function standing(app, table) {
  for (;;) {
    try {
      return await table.game();
    } catch (error) {
      if (!(error instanceof Unreachable) || app.signal.aborted) throw error;
      app.update({ connected: false });
    }
  }
}

/** @param {AsyncGenerator<Update, void, void>} updates @param {number} known the version up to which everything is past @param {Playback} playback */
async function show(updates, known, playback) {
  for await (const update of updates) {
    const last = update.events.at(-1)?.version ?? update.game.version;
    if (last <= known && update.events.length > 0) playback.past(update);
    else playback.add(update);
  }
}

/** @param {TableApp} app */
function watching(app) {
  return { signal: app.signal, onConnection: (/** @type {boolean} */ connected) => app.update({ connected }) };
}

/** Let the clock run while somebody's turn ends at a time. @param {TableApp} app */
function ticking(app) {
  const timer = setInterval(() => {
    if (app.state.game?.due) app.update({ now: Date.now() });
  }, TICK_MILLISECONDS);
  app.signal.addEventListener("abort", () => clearInterval(timer));
}
