/** The exact chance that a bid holds, as one seat sees it: dice in sight are counted, and a hidden die shows each face equally often. */

import { countIn, isWild, WILD } from "./looks.js";

/** @import {Bid, GameView} from "../../client/messages/types.js" */

const FACES = 6;

/** The chance that a bid holds, from 0 to 1. @param {GameView} view @param {Bid} bid */
export function chanceOf(view, { quantity, face }) {
  const wild = isWild(view);
  let [matching, unknown] = [0, 0];
  for (const seat of view.seats) {
    matching += countIn(seat.shown, face, wild);
    if (seat.hidden === null) unknown += seat.hiddenCount;
    else matching += countIn(seat.hidden, face, wild);
  }
  return chanceOfAtLeast(quantity - matching, unknown, wild && face !== WILD ? 2 : 1);
}

/** The chance that at least so many of some dice show one of some faces. @param {number} needed @param {number} dice @param {number} faces */
export function chanceOfAtLeast(needed, dice, faces) {
  if (needed <= 0) return 1;
  const share = faces / FACES;
  // The chance of exactly `hits`, from the one of `hits - 1`.
  let [exactly, below] = [(1 - share) ** dice, 0];
  for (let hits = 0; hits < Math.min(needed, dice + 1); hits += 1) {
    below += exactly;
    exactly *= ((dice - hits) / (hits + 1)) * (share / (1 - share));
  }
  return needed > dice ? 0 : Math.max(0, 1 - below);
}
