/** The five books as data. `docs/reference/rules.md` has their clauses in words. */

/**
 * @typedef {object} Book
 * @property {number} version
 * @property {number} playersMin
 * @property {number} playersMax
 * @property {boolean} track whether bids stand on a track, with spaces of their own for the wild face
 * @property {"always" | "option" | "not-in-palafico"} wild when face 1 is wild
 * @property {"yes" | "never" | "not-to-open"} wildBids whether face 1 may be bid while it is wild
 * @property {boolean} difference whether the loser of a challenge loses the difference, and not one die
 * @property {boolean} exactCostsOthers whether an exact bid costs everyone except the bidder a die
 * @property {"winner" | "loser" | "challenger"} opens who opens the next round
 * @property {"named" | "one-die" | "all-dice"} opening how the first opener is found
 * @property {boolean} rerolls whether dice may be shown and the others rolled again
 * @property {boolean} palafico whether there are Palafico rounds
 * @property {Clauses} clauses
 */

/**
 * @typedef {object} Clauses the numbers of the rules that decide a round
 * @property {string} count what is counted
 * @property {string} wild why wild dice count
 * @property {string} wildBid why only the wild face counts towards a bid on it
 * @property {string} bidderLoses
 * @property {string} challengerLoses
 * @property {string} exact
 * @property {string} out
 * @property {string} opens who opens the next round
 * @property {string} opensIfOut the same if somebody went out
 * @property {string} wins
 */

/** @type {Record<string, Book>} */
const BOOKS = {
  "bidding-track": {
    ...{ version: 1, playersMin: 2, playersMax: 6, track: true, wild: "always", wildBids: "yes" },
    ...{ difference: true, exactCostsOthers: true, opens: "winner", opening: "named", rerolls: true, palafico: false },
    clauses: {
      ...{ count: "BT-13", wild: "BT-5", wildBid: "BT-6", bidderLoses: "BT-15", challengerLoses: "BT-14", exact: "BT-16" },
      ...{ out: "BT-17", opens: "BT-18", opensIfOut: "BT-18", wins: "BT-21" },
    },
  },
  "single-hand": {
    ...{ version: 1, playersMin: 2, playersMax: 20, track: false, wild: "option", wildBids: "yes" },
    ...{ difference: false, exactCostsOthers: false, opens: "loser", opening: "named", rerolls: false, palafico: false },
    clauses: {
      ...{ count: "SH-6", wild: "SH-14", wildBid: "SH-14", bidderLoses: "SH-7", challengerLoses: "SH-7", exact: "SH-7" },
      ...{ out: "SH-12", opens: "SH-8", opensIfOut: "SH-8", wins: "SH-13" },
    },
  },
  pirates: {
    ...{ version: 1, playersMin: 2, playersMax: 4, track: false, wild: "always", wildBids: "never" },
    ...{ difference: false, exactCostsOthers: false, opens: "loser", opening: "one-die", rerolls: false, palafico: false },
    clauses: {
      ...{ count: "PI-9", wild: "PI-5", wildBid: "PI-6", bidderLoses: "PI-10", challengerLoses: "PI-10", exact: "PI-10" },
      ...{ out: "PI-12", opens: "PI-11", opensIfOut: "R5", wins: "PI-13" },
    },
  },
  "prediction-track": {
    ...{ version: 1, playersMin: 2, playersMax: 6, track: true, wild: "always", wildBids: "yes" },
    ...{ difference: true, exactCostsOthers: false, opens: "challenger", opening: "all-dice", rerolls: false, palafico: false },
    clauses: {
      ...{ count: "PT-10", wild: "PT-5", wildBid: "PT-5", bidderLoses: "PT-11", challengerLoses: "PT-12", exact: "PT-13" },
      ...{ out: "PT-15", opens: "PT-14", opensIfOut: "PT-14", wins: "PT-16" },
    },
  },
  palafico: {
    ...{ version: 1, playersMin: 2, playersMax: 4, track: false, wild: "not-in-palafico", wildBids: "not-to-open" },
    ...{ difference: false, exactCostsOthers: false, opens: "loser", opening: "named", rerolls: false, palafico: true },
    clauses: {
      ...{ count: "PA-8", wild: "PA-7", wildBid: "PA-8", bidderLoses: "PA-9", challengerLoses: "PA-9", exact: "PA-9" },
      ...{ out: "PA-11", opens: "PA-10", opensIfOut: "PA-10", wins: "PA-16" },
    },
  },
};

export const WILD_FACE = 1;

/** A book in one of its versions; null if there is none. @param {string} id @param {number} version @returns {Book | null} */
export function bookOf(id, version) {
  const book = Object.hasOwn(BOOKS, id) ? BOOKS[id] : undefined;
  return book?.version === version ? book : null;
}

/** The length of all chains of a game. @param {Book} book @param {number} seats @param {number} diceEach */
export function chainLength(book, seats, diceEach) {
  const dice = seats * diceEach;
  return 64 + (book.rerolls ? (dice * (dice - 1)) / 2 : dice - 1);
}

/** How many numbers the call for a round sets aside. @param {Book} book @param {readonly number[]} diceCounts */
export function callsOfRound(book, diceCounts) {
  return book.rerolls ? diceCounts.reduce((calls, count) => calls + Math.max(count - 1, 0), 1) : 1;
}
