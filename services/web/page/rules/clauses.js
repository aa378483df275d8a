/** On which clauses of docs/reference/rules.md the sentences about a book rest, in the order of the sentences in words. */

/** @import {BookId} from "./books.js" */

/** @type {Record<BookId, {round: string[], special: string[]}>} */
export const CLAUSES = {
  pirates: {
    round: ["PI-1", "PI-2 R3", "PI-3 PI-4", "PI-7 PI-8", "PI-9 PI-10", "PI-11 PI-12 PI-13 R5"],
    special: ["PI-5", "PI-6", "PI-8"],
  },
  "single-hand": {
    round: ["SH-1 R1", "SH-3 R2", "SH-2 SH-4", "SH-5", "SH-6 SH-7", "SH-8 SH-12 SH-13"],
    special: ["SH-10", "SH-9", "SH-11", "SH-14"],
  },
  palafico: {
    round: ["PA-1 R1", "PA-2 R2", "PA-3 PA-5", "PA-4 PA-6", "PA-8 PA-9", "PA-10 PA-11 PA-16"],
    special: ["PA-7", "PA-12 PA-15", "PA-13", "PA-14"],
  },
  "bidding-track": {
    round: ["BT-1", "BT-2 R2", "BT-3 BT-4", "BT-7 BT-8 BT-9", "BT-13 BT-14 BT-15", "BT-17 BT-18 BT-21"],
    special: ["BT-5 BT-6", "BT-10 BT-11 R6", "BT-16", "BT-19 R7", "BT-20 R8"],
  },
  "prediction-track": {
    round: ["PT-1", "PT-2 R4", "PT-3 PT-4", "PT-6 PT-7 PT-9", "PT-10 PT-11 PT-12", "PT-14 PT-15 PT-16"],
    special: ["PT-5", "PT-8 R6", "PT-13"],
  },
};

/** The rows of the table that compares the books. */
export const COMPARED = /** @type {const} */ (["players", "wild", "wildBid", "opener", "raise", "wrong", "exact", "next", "special"]);
