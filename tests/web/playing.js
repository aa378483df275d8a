/** How a player for tests moves. */

import { Refused } from "../../services/web/client/index.js";

/** @typedef {import("../../services/web/client/index.js").Table} Table */
/** @typedef {import("../../services/web/client/messages/types.js").Game} Game */

/** Raise a little, show a die where the rules allow it, and doubt what is unlikely. @param {Table} table @param {Game} game */
export async function playOn(table, { view, version: expectedVersion }) {
  if (view.phase !== "bidding" || view.viewer === null || !view.waiting.includes(view.viewer)) return;
  const dice = view.seats.reduce((sum, seat) => sum + seat.diceCount, 0);
  const [lowest] = [...view.moves.lowestBids].sort((one, other) => one.quantity - other.quantity);
  const show = view.moves.showMax > 0 ? (view.seats[view.viewer]?.hidden?.slice(0, 1) ?? []) : [];
  try {
    if (!lowest || (view.moves.challenge && lowest.quantity > Math.max(1, dice / 3))) await table.challenge({ expectedVersion });
    else await table.bid(lowest.quantity, lowest.face, { show, expectedVersion });
  } catch (error) {
    // It may hear of its turn a second time, by an update that came while it moved.
    if (!(error instanceof Refused) || error.reason !== "VERSION_MOVED") throw error;
  }
}

/** Play until the game is over. @param {Table} table */
export async function playToTheEnd(table) {
  for await (const { game } of table.watch()) await playOn(table, game);
}
