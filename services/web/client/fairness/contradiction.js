/** What a check of a game finds wrong. */

/** Something in the events of a game that can't be true. */
export class Contradiction extends Error {
  /** @param {string} sentence @param {number | null} [seat] whose fault it is; null for the server */
  constructor(sentence, seat = null) {
    super(`${seat === null ? "the server" : `seat ${seat}`}: ${sentence}`);
  }
}

/** Throws unless the claim holds. @param {boolean} holds @param {string} sentence @param {number | null} [seat] @returns {asserts holds} */
export function expect(holds, sentence, seat = null) {
  if (!holds) throw new Contradiction(sentence, seat);
}

/** Whether two plain values are the same. @param {unknown} one @param {unknown} other */
export function alike(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
