/** Calls to roll, and the links with which the called seats answer. */

/** @import {Bytes} from "./bytes.js" */
/** @import {SeatLink} from "./deals.js" */
/** @import {Game} from "./game.js" */
import { expectFields } from "./course.js";
import { need } from "./failure.js";
import { startClock } from "./forfeits.js";

/**
 * @typedef {object} Rolls
 * @property {number} call the number of the links
 * @property {SeatLink[]} links in seat order
 * @property {number[]} waiting the seats that have not rolled, if something else came before they did
 */

/** Follow a call and the rolls after it.
 * @param {Game} game @param {number[]} seats @param {number} calls how many numbers it sets aside @returns {Rolls} */
export function followRolls(game, seats, calls) {
  const { chains, course } = game;
  const call = chains.nextCall;
  const called = course.take("roll-called");
  expectFields(called, { seats, call, calls }, "links");
  startClock(game, called);
  chains.nextCall += calls;
  /** @type {Map<number, Bytes>} */
  const links = new Map();
  while (links.size < seats.length && course.next === "rolled") {
    const { link, seat } = course.take("rolled").fields;
    need(seats.includes(seat) && !links.has(seat), "links", "not-called", { seat });
    links.set(seat, chains.revealedBySeat(seat, link, call));
  }
  const inOrder = [...links].sort(([one], [other]) => one - other);
  return { call, links: inOrder, waiting: seats.filter((seat) => !links.has(seat)) };
}
