/** The stream that all tabs share: however slowly it opens, one stays open. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { FollowedGames } from "../../services/web/page/watching/followed_games.js";

/** Wait until it is so; a slow machine takes longer. @param {() => boolean} isSo */
async function until(isSo) {
  for (let waited = 0; !isSo(); waited += 20) {
    assert.ok(waited < 10_000, String(isSo));
    await pause(20);
  }
}

test("tabs that come while a stream is being opened leave one stream open, not one for each", async () => {
  let open = 0;
  globalThis.fetch = async (_, how) => {
    open += 1;
    how?.signal?.addEventListener("abort", () => (open -= 1), { once: true });
    await pause(100); // Longer than the tabs are apart.
    return new Response(new ReadableStream());
  };
  const games = new FollowedGames("http://127.0.0.1:1", null);
  /** @type {Set<string>} */
  const told = new Set();
  for (const gameId of ["a", "b", "c", "d"]) {
    games.add(gameId, { gameId }, ({ id, type }) => told.add(`${id} ${type}`));
    await pause(40);
  }
  await until(() => open === 1 && told.size === 4);
  assert.deepEqual(told, new Set(["a begun", "b begun", "c begun", "d begun"]));
  for (const gameId of ["a", "b", "c", "d"]) games.remove(gameId);
  await until(() => open === 0);
});
