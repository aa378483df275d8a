/** A round of each book, to look at. A bid is [seat, quantity, face]; the last player doubts. */

/** @import {BookId} from "./books.js" */

/**
 * @typedef {object} Example
 * @property {[string, number[]][]} cups who has which dice when the cups are lifted
 * @property {[number, number, number][]} bids
 * @property {number} doubter
 * @property {boolean} wild whether face 1 counts towards all faces in this round
 */

/** @type {Record<BookId, Example>} */
export const EXAMPLES = {
  pirates: {
    cups: [["Ann", [1, 3, 3, 5, 6]], ["Ben", [2, 2, 4, 5, 5]], ["Cleo", [1, 4, 5, 6, 6]]],
    bids: [[0, 2, 3], [1, 3, 5], [2, 3, 6], [0, 5, 6]],
    doubter: 1,
    wild: true,
  },
  "single-hand": {
    cups: [["Ann", [1, 3, 3, 5, 6]], ["Ben", [2, 2, 4, 5, 5]], ["Cleo", [2, 3, 4, 6, 6]]],
    bids: [[0, 2, 3], [1, 2, 5], [2, 3, 2], [0, 4, 2]],
    doubter: 1,
    wild: false,
  },
  palafico: {
    cups: [["Ann", [1, 2, 5]], ["Ben", [5]], ["Cleo", [1, 5]]],
    bids: [[1, 1, 5], [2, 2, 5], [0, 4, 5]],
    doubter: 1,
    wild: false,
  },
  "bidding-track": {
    cups: [["Ann", [1, 4, 4, 2, 6]], ["Ben", [3, 3, 5, 6, 2]], ["Cleo", [1, 1, 4, 4, 6]]],
    bids: [[0, 3, 4], [1, 2, 1], [2, 4, 4], [0, 5, 4]],
    doubter: 1,
    wild: true,
  },
  "prediction-track": {
    cups: [["Ann", [1, 2, 2, 5, 6]], ["Ben", [3, 3, 4, 6, 6]], ["Cleo", [1, 5, 5, 3, 2]]],
    bids: [[0, 3, 5], [1, 3, 6], [2, 2, 1]],
    doubter: 0,
    wild: true,
  },
};

/** How a die counts towards the last bid. @param {Example} example @param {number} face @returns {"counted" | "wild" | "dimmed"} */
export function counts({ bids, wild }, face) {
  const wanted = bids.at(-1)?.[2] ?? 0;
  if (face === wanted) return "counted";
  return wild && face === 1 ? "wild" : "dimmed";
}

/** How many dice count. @param {Example} example */
export function countedDice(example) {
  return example.cups.flatMap(([, dice]) => dice).filter((face) => counts(example, face) !== "dimmed").length;
}
