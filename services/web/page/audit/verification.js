/** Checking a bundle while somebody watches: each check is shown by itself, in the order in which it was made. */

import { verify } from "../verifier/index.js";

/** @import {Check, Report} from "../verifier/report.js" */

/**
 * @typedef {object} Verification
 * @property {"idle" | "running" | "done"} phase
 * @property {Check[]} checks those that are shown so far
 * @property {Report | null} report
 * @property {number} milliseconds how long the checks took, without the pauses between them
 */

/** @type {Verification} */
export const NOT_VERIFIED = { phase: "idle", checks: [], report: null, milliseconds: 0 };
const PACE_MILLISECONDS = 70;

/**
 * Check a bundle and show one check after the other. The checks are over before the first one is shown: they take less
 * time than a reader needs for one of them.
 * @param {Uint8Array} bytes
 * @param {string | null} publicKey
 * @param {(verification: Verification) => void} show
 * @param {{signal?: AbortSignal, still?: boolean}} [manner] `still` shows all checks at once
 * @returns {Promise<Report>}
 */
export async function runVerification(bytes, publicKey, show, { signal, still = false } = {}) {
  show({ ...NOT_VERIFIED, phase: "running" });
  const begun = performance.now();
  const report = await verify(bytes, publicKey === null ? {} : { publicKey });
  const milliseconds = performance.now() - begun;
  for (let count = 1; count < report.checks.length && !still && !signal?.aborted; count += 1) {
    show({ phase: "running", checks: report.checks.slice(0, count), report: null, milliseconds });
    await new Promise((resolve) => setTimeout(resolve, PACE_MILLISECONDS));
  }
  if (!signal?.aborted) show({ phase: "done", checks: report.checks, report, milliseconds });
  return report;
}
