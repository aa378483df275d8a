/** What can be bid now. Only legal bids can be picked: the lowest of each face, and any higher quantity of it. */

import { lookOf, WILD } from "./looks.js";

/** @import {Bid, GameView} from "../../client/messages/types.js" */
/** @import {Choice} from "./table_state.js" */

export const FACES = [1, 2, 3, 4, 5, 6];
const QUANTITY_MAX = 1_000;

/** The bid that each face offers with what is picked; null for a face that can't be bid now. @param {GameView} view @param {Choice} choice @returns {(Bid | null)[]} */
export function offers(view, choice) {
  return FACES.map((face) => {
    const lowest = lowestOf(view, face);
    return lowest === null ? null : { face, quantity: Math.max(lowest, isOnWildSpace(view, face) ? choice.wild : choice.quantity) };
  });
}

/** @param {GameView} view @param {number} face @returns {number | null} */
export function lowestOf(view, face) {
  return view.moves.lowestBids.find((bid) => bid.face === face)?.quantity ?? null;
}

/** The quantity that is picked for numbers: at least the lowest that any of them allows. @param {GameView} view @param {Choice} choice */
export function pickedQuantity(view, choice) {
  const lowest = view.moves.lowestBids.filter(({ face }) => !isOnWildSpace(view, face)).map(({ quantity }) => quantity);
  return lowest.length === 0 ? null : Math.max(choice.quantity, Math.min(...lowest));
}

/** One more or one fewer. @param {GameView} view @param {Choice} choice @param {number} by @returns {Choice} */
export function stepped(view, choice, by) {
  const quantity = (pickedQuantity(view, choice) ?? 0) + by;
  const next = { ...choice, quantity: Math.min(QUANTITY_MAX, Math.max(0, quantity)) };
  return { ...next, quantity: pickedQuantity(view, next) ?? 0 };
}

/** Pick one of the player's hidden dice to be shown, or put it back. @param {GameView} view @param {Choice} choice @param {number} index @returns {Choice} */
export function toggled(view, choice, index) {
  if (choice.show.includes(index)) return { ...choice, show: choice.show.filter((one) => one !== index) };
  return { ...choice, show: [...choice.show, index].slice(-view.moves.showMax) };
}

/** The faces of the dice that are picked to be shown. @param {GameView} view @param {Choice} choice */
export function shownFaces(view, choice) {
  const hidden = view.viewer === null ? null : view.seats[view.viewer]?.hidden ?? null;
  return choice.show.flatMap((index) => hidden?.[index] ?? []);
}

/** On a track, wild bids have spaces of their own. @param {GameView} view @param {number} face */
function isOnWildSpace({ rulebook }, face) {
  return face === WILD && lookOf(rulebook).track;
}
