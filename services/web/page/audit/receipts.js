/** Receipts of the reader's own moves: this browser has kept them, or the reader brings a file. */

import { RECEIPTS_FORMAT } from "../verifier/receipts.js";

/** @import {App} from "../core/page.js" */

/** Whether a file has receipts in it, and not a bundle. @param {Uint8Array} bytes */
export function isReceipts(bytes) {
  return textOf(bytes.subarray(0, RECEIPTS_FORMAT.length + 1)) === `${RECEIPTS_FORMAT}\n`;
}

/** The receipts that this browser has kept for the game of a bundle; null if there are none. @param {App<any>} app @param {Uint8Array} bundle @returns {Promise<Uint8Array | null>} */
export async function ownReceipts({ session }, bundle) {
  const game = gameOf(bundle);
  if (session.player === null || game === null) return null;
  const file = await session.client.table(game).receipts().catch(() => ""); // Without them the bundle is checked all the same.
  const [, , first = ""] = file.split("\n");
  return first === "" ? null : new TextEncoder().encode(file);
}

/** The game that a bundle says it is about. @param {Uint8Array} bundle @returns {string | null} */
export function gameOf(bundle) {
  try {
    const { game_id: game } = JSON.parse(textOf(bundle));
    return typeof game === "string" ? game : null;
  } catch {
    return null;
  }
}

/** @param {Uint8Array} bytes */
function textOf(bytes) {
  return new TextDecoder().decode(bytes);
}
