/** Where bids stand on the track: a wild space lies between each odd number and the next, and after twenty numbers the track goes round again. */

/** @import {Bid} from "../../client/messages/types.js" */

/** @typedef {{place: number, quantity: number, wild: boolean}} Space */

const WILD = 1;
export const NUMBERS_EACH_LAP = 20;
const PLACES_EACH_LAP = 30;

/** The place of a bid, counted from 1 through all laps. @param {Bid} bid */
export function placeOf({ quantity, face }) {
  return face === WILD ? 3 * quantity - 1 : quantity + Math.floor(quantity / 2);
}

/** The space at a place. @param {number} place @returns {Space} */
export function spaceAt(place) {
  const wild = place % 3 === 2;
  return { place, wild, quantity: wild ? (place + 1) / 3 : place - Math.floor((place + 1) / 3) };
}

/** The lap of a place, counted from 0. @param {number} place */
export function lapOf(place) {
  return Math.floor((place - 1) / PLACES_EACH_LAP);
}

/** The spaces of a lap, in order. @param {number} lap @returns {Space[]} */
export function spacesOf(lap) {
  return Array.from({ length: PLACES_EACH_LAP }, (_, index) => spaceAt(lap * PLACES_EACH_LAP + index + 1));
}
