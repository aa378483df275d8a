/** Sits down as safely as this browser can: with a chain of its own and signed moves, if it has the means. */

import { KeptBack } from "../../client/index.js";

/** @import {App} from "../core/page.js" */
/** @import {Table} from "../../client/index.js" */

/** From the safest way to the last one. Browsers have WebCrypto only on https and on this machine. */
const WAYS = [{ signMoves: true }, { ownChain: true }, { ownChain: false }];
const MEANS_MISSING = ["WEBCRYPTO_MISSING", "SIGNING_NOT_POSSIBLE"];

/** @param {App<any>} app @param {Table} table */
export async function sitDown(app, table) {
  for (const way of WAYS) {
    try {
      await table.join(way);
      if (!way.signMoves) app.notify(app.words.messages.lobby.weakSeat);
      return;
    } catch (error) {
      if (!(error instanceof KeptBack) || !MEANS_MISSING.includes(error.reason)) throw error;
    }
  }
}
