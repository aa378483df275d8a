/** The checks by their names, and the failure of one of them. `docs/reference/audit-format.md` says what each proves. */

/** @typedef {"form" | "digests" | "commitments" | "signatures" | "links" | "dice"} EarlyCheck */
/** @typedef {EarlyCheck | "bids" | "outcome" | "leaf" | "inclusion" | "checkpoint" | "receipts"} CheckName */
/** @typedef {Record<string, string | number | boolean | null>} Values what a sentence has in its blanks */

/** Those of every bundle, in the order in which they are made. @type {readonly CheckName[]} */
export const CHECKS = ["form", "digests", "commitments", "signatures", "links", "dice", "bids", "outcome", "leaf", "inclusion", "checkpoint"];
/** And that of receipts, if there are some. @type {readonly CheckName[]} */
export const ALL_CHECKS = [...CHECKS, "receipts"];

/** A check that fails. */
export class Failure extends Error {
  /** @param {CheckName} check @param {string} reason the key of a sentence @param {Values} [values] @param {number | null} [version] */
  constructor(check, reason, values = {}, version = null) {
    super(`${check}: ${reason}`);
    this.check = check;
    this.reason = reason;
    this.values = values;
    /** The event at which it fails; null if it is about no event. */
    this.version = version;
  }
}

/** Something that this browser can't do, so that nobody knows whether a check holds. */
export class Undecided extends Error {
  /** @param {CheckName} check @param {string} reason */
  constructor(check, reason) {
    super(`${check}: ${reason}`);
    this.check = check;
    this.reason = reason;
  }
}

/** Fail a check unless something holds. @param {unknown} holds @param {CheckName} check @param {string} reason @param {Values} [values]
 * @param {number | null} [version] @returns {asserts holds} */
export function need(holds, check, reason, values, version) {
  if (!holds) throw new Failure(check, reason, values, version);
}
