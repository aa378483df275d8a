/** Commitments: what the server had fixed when the dice fell, opened when the round was over. */

/** @import {BundledEvent} from "./bundle.js" */
import { joined, same, utf8 } from "./bytes.js";
import { hasSecret } from "./event_fields.js";
import { need } from "./failure.js";
import { sha256 } from "./sha256.js";

const SALT_LENGTH = 32;
const PREFIX = utf8("liarsdice.secret.v1\n");

/** Check that an event with a secret part has a commitment, and that its opening opens it. @param {BundledEvent} event */
export function checkCommitment({ commitment, digest, kind, opened, topic, version }) {
  if (!hasSecret(kind)) {
    need(commitment === null && opened === null, "commitments", "no-secret-here", { topic }, version);
    return;
  }
  if (digest === null) return; // Events that are older than digests are older than commitments too.
  need(commitment !== null && opened !== null, "commitments", "not-opened", {}, version);
  need(same(sha256(joined(PREFIX, opened)), commitment), "commitments", "opening-does-not-fit", {}, version);
}

/** Check that an opening holds what the cups showed. @param {BundledEvent} event @param {object} shown the secret part by the reveal */
export function checkOpening({ opened, version }, shown) {
  if (opened === null) return;
  need(same(opened.subarray(SALT_LENGTH), utf8(JSON.stringify(shown))), "commitments", "opened-is-not-shown", { at: version });
}
