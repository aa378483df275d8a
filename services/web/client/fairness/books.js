/** What the published books say about dice and links. All else about them is the server's business. */

const OPENING_LINKS = 64;
export const DICE_EACH_MAX = 10;
const DICE_EACH = 5;
const WILD_FACE = 1;

/**
 * @typedef {object} Book
 * @property {number} version
 * @property {number} playersMin
 * @property {number} playersMax
 * @property {boolean} rerolls whether dice may be shown and the others rerolled
 * @property {OpeningRoll | null} openingRoll null where the first opener is named or drawn
 */

/**
 * @typedef {object} OpeningRoll
 * @property {number | null} dice how many dice each player rolls; null stands for all of them
 * @property {(dice: number[]) => number[]} rank of which the highest opens
 */

/** The higher number opens (PI-2, R3). @param {number[]} dice */
const highestDie = (dice) => dice;

/** Most wheels first, then the highest sum of the other dice (PT-2). @param {number[]} dice */
const mostWildsThenSum = (dice) => {
  const others = dice.filter((face) => face !== WILD_FACE);
  return [dice.length - others.length, others.reduce((sum, face) => sum + face, 0)];
};

/** @type {Record<string, Book>} */
const BOOKS = {
  "bidding-track": { version: 1, playersMin: 2, playersMax: 6, rerolls: true, openingRoll: null },
  "single-hand": { version: 1, playersMin: 2, playersMax: 20, rerolls: false, openingRoll: null },
  pirates: { version: 1, playersMin: 2, playersMax: 4, rerolls: false, openingRoll: { dice: 1, rank: highestDie } },
  "prediction-track": {
    version: 1,
    playersMin: 2,
    playersMax: 6,
    rerolls: false,
    openingRoll: { dice: null, rank: mostWildsThenSum },
  },
  palafico: { version: 1, playersMin: 2, playersMax: 4, rerolls: false, openingRoll: null },
};

/** A book that this program can count the calls of; null if it knows none. @param {string} id @param {number} version */
export function bookOf(id, version) {
  const book = Object.hasOwn(BOOKS, id) ? BOOKS[id] : undefined;
  return book?.version === version ? book : null;
}

/** How many dice each player starts with. @param {{diceEach: number | null}} options */
export function diceEachOf({ diceEach }) {
  return diceEach ?? DICE_EACH;
}

/** The length of the chains at a table. @param {Book} book @param {number} seats @param {number} diceEach */
export function chainLength(book, seats, diceEach) {
  const dice = seats * diceEach;
  return OPENING_LINKS + (book.rerolls ? (dice * (dice - 1)) / 2 : dice - 1);
}

/** How many numbers a round sets aside. @param {Book} book @param {number[]} diceCounts */
export function callsOfRound(book, diceCounts) {
  if (!book.rerolls) return 1;
  return diceCounts.filter((count) => count > 0).reduce((calls, count) => calls + count - 1, 1);
}

/** The seats whose opening rolls are the best. @param {OpeningRoll} opening @param {{seat: number, dice: number[]}[]} rolls */
export function bestRolls(opening, rolls) {
  const ranks = rolls.map(({ dice }) => opening.rank(dice));
  const best = ranks.reduce((high, rank) => (compared(rank, high) > 0 ? rank : high), ranks[0] ?? []);
  return rolls.filter((_, index) => compared(ranks[index] ?? [], best) === 0).map(({ seat }) => seat);
}

/** Below, at or above zero, by the first numbers that differ. @param {number[]} one @param {number[]} other */
function compared(one, other) {
  const index = one.findIndex((number, at) => number !== other[at]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}
