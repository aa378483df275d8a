/** A doubt that is set in advance: "doubt if it reaches four". It is tried once for each turn, and only for the bid that stands then. */

import { standingBid } from "./looks.js";

/** @import {GameView} from "../../client/messages/types.js" */
/** @import {Doubt} from "./table_state.js" */

/** Whether a doubt that was set in advance is due: the bid that stands has come so far. @param {Doubt | null} doubt @param {GameView} view */
export function standingDoubt(doubt, view) {
  const bid = standingBid(view);
  if (doubt === null || bid === null || !view.moves.challenge) return false;
  return bid.quantity >= doubt.quantity && (doubt.face === null || doubt.face === bid.face);
}
