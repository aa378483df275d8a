/** Fold every step of games as the page does, and compare each view with the server's own: `node fold_replay.js <server> <game>...`. */

import assert from "node:assert/strict";

import { Api } from "../../services/web/page/core/api.js";
import { recordingOf } from "../../services/web/page/replay/recording.js";
import { oddsSeen } from "../../services/web/page/replay/table_view.js";

/** @import {Eyes} from "../../services/web/page/replay/types.js" */

const [server, ...games] = process.argv.slice(2);
const api = new Api({ origin: server ?? "" });

/** What the server itself shows of all steps through somebody's eyes, in one stream. @param {string} game @param {Eyes} eyes */
async function* told(game, eyes) {
  const viewpoint = eyes === "everything" ? { everything: true } : eyes === "spectator" ? {} : { seat: eyes };
  const answer = await api.fetch(`/games/${game}/replay`, { speed: 1000, wait_seconds_max: 0, view: true, ...viewpoint });
  for (const piece of (await answer.text()).split("\n\n")) {
    const data = /^data: (.*)$/m.exec(piece)?.[1];
    if (/^event: step$/m.test(piece) && data !== undefined) yield JSON.parse(data);
  }
}

let compared = 0;
for (const game of games) {
  const recording = await recordingOf(api, game);
  /** @type {Eyes[]} */
  const viewpoints = ["everything", "spectator", ...recording.players.keys()];
  for (const eyes of viewpoints) {
    let count = 0;
    for await (const { step, view } of told(game, eyes)) {
      const { moves, ...shown } = view;
      assert.deepEqual(recording.view(step.version, eyes), shown, `${game} step ${step.version} as ${eyes}`);
      assert.deepEqual(oddsSeen(recording.step(step.version)?.odds ?? null, eyes), step.odds, `odds of ${game} step ${step.version} as ${eyes}`);
      count += 1;
    }
    assert.equal(count, recording.last);
    compared += count;
  }
}
console.log(JSON.stringify({ compared }));
