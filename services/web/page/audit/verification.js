/** Checking a bundle while somebody watches: each check is shown by itself, in the order in which it was made. */

import { CHECKS, verify } from "../verifier/index.js";

/** @import {Check, Report} from "../verifier/report.js" */

/**
 * @typedef {object} Verification
 * @property {"idle" | "running" | "done"} phase
 * @property {Check[]} checks those that are shown so far
 * @property {number} total how many of the format are made
 * @property {Report | null} report
 * @property {number} milliseconds how long the checks took, without the pauses between them
 */

/** @type {Verification} */
export const NOT_VERIFIED = { phase: "idle", checks: [], total: CHECKS.length, report: null, milliseconds: 0 };
const PACE_MILLISECONDS = 70;

/**
 * Check a bundle and show one check after the other. The checks are over before the first one is shown: they take less
 * time than a reader needs for one of them.
 * @param {Uint8Array} bytes
 * @param {{publicKey: string | null, receipts: Uint8Array | null}} given what the reader has beside the bundle
 * @param {(verification: Verification) => void} show
 * @param {{signal?: AbortSignal, still?: boolean}} [manner] `still` shows all checks at once
 * @returns {Promise<Report>}
 */
export async function runVerification(bytes, { publicKey, receipts }, show, { signal, still = false } = {}) {
  const total = CHECKS.length + (receipts === null ? 0 : 1);
  show({ ...NOT_VERIFIED, total, phase: "running" });
  const begun = performance.now();
  const report = await verify(bytes, { receipts, ...(publicKey === null ? {} : { publicKey }) });
  const milliseconds = performance.now() - begun;
  for (let count = 1; count < report.checks.length && !still && !signal?.aborted; count += 1) {
    show({ phase: "running", total, checks: report.checks.slice(0, count), report: null, milliseconds });
    await new Promise((resolve) => setTimeout(resolve, PACE_MILLISECONDS));
  }
  if (!signal?.aborted) show({ phase: "done", total, checks: report.checks, report, milliseconds });
  return report;
}
