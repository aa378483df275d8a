/**
 * A verifier of audit bundles, for browsers and Node 20 and newer: ES modules without dependencies, used as they are.
 *
 * It was written from `docs/reference/audit-format.md`, `fair-dice.md` and `rules.md` alone, and shares nothing with the server
 * or with the verifier in Python. It makes no sentences: `words.en.js` and its siblings have them by their keys.
 */

/** @import {Bundle} from "./bundle.js" */
/** @import {Bytes} from "./bytes.js" */
/** @import {Game} from "./game.js" */
/** @import {CheckName} from "./failure.js" */
/** @import {Key} from "./keys.js" */
/** @import {Check, Report} from "./report.js" */
import { readBundle } from "./bundle.js";
import { checkCosignature, checkSignature, hasOtherSignatures, readCheckpoint } from "./checkpoint.js";
import { Course } from "./course.js";
import { checkedDigests } from "./digests.js";
import { canVerify } from "./ed25519.js";
import { ALL_CHECKS, CHECKS, need, Undecided } from "./failure.js";
import { keyReport, readKey, SERVER_KEY, usedTwice, WITNESS_KEY } from "./keys.js";
import { checkInclusion, checkLeaf, leafHashes } from "./log_proof.js";
import { Progress } from "./progress.js";
import { checkReceipts, readReceipts } from "./receipts.js";
import { MoveSignatures } from "./signatures.js";
import { reportedSeats, statements } from "./statements.js";
import { followedGame } from "./whole_game.js";

export { BUNDLE_BYTES_MAX } from "./bundle.js";
export { ALL_CHECKS, CHECKS } from "./failure.js";

/**
 * @typedef {object} VerifyOptions
 * @property {string} [publicKey] the key of the server, from somebody that the caller trusts; without it the bundle's own key is used
 * @property {readonly string[]} [witnessKeys] keys of witnesses that must have cosigned the checkpoint
 * @property {Uint8Array | null} [receipts] a file of receipts for the game of the bundle
 * @property {readonly string[]} [receiptKeys] further keys of the log that may have signed receipts, such as older ones
 * @property {(check: Check) => void} [onCheck] is called with each check as soon as it is settled
 */

/** Check everything in a bundle. Whatever is wrong is in the report, so it throws nothing.
 * @param {Uint8Array} bytes @param {VerifyOptions} [options] @returns {Promise<Report>} */
export async function verify(bytes, { onCheck = () => undefined, publicKey, witnessKeys = [], receipts = null, receiptKeys = [] } = {}) {
  const hasReceipts = receipts !== null || receiptKeys.length > 0;
  const progress = new Progress(onCheck, hasReceipts ? ALL_CHECKS : CHECKS);
  const followed = { version: 0 };
  try {
    need(bytes instanceof Uint8Array, "form", "not-bytes");
    const bundle = readBundle(bytes);
    const checkpoint = readCheckpoint(bundle.checkpoint);
    const kept = receipts === null ? [] : readReceipts(receipts, bundle.gameId);
    Object.assign(progress.report, { gameId: bundle.gameId, round: bundle.round });
    progress.prove("form", { count: bundle.events.length });
    const digests = checkedDigests(bundle);
    progress.prove("digests", { count: bundle.events.length });
    const { game, signedBy } = await followedSigned(bundle, digests, followed, progress);
    proveGame(progress, game, signedBy.length);
    checkLeaf(bundle);
    progress.prove("leaf", { round: bundle.round });
    checkInclusion(bundle, leafHashes(bundle, digests), checkpoint.size, checkpoint.root);
    progress.prove("inclusion", { leaf: bundle.leaf, size: String(checkpoint.size) });
    const keys = knownKeys(bundle.key, publicKey);
    const witnesses = [...new Set(witnessKeys)].map((text) => keyOf(text, WITNESS_KEY, "checkpoint", "no-witness-key"));
    for (const key of keys) await checkSignature(checkpoint, key);
    const signers = [...keys, ...witnesses];
    need(usedTwice(signers) === undefined, "checkpoint", "key-of-two-names", { key: usedTwice(signers)?.text ?? "" });
    for (const witness of witnesses) await checkCosignature(checkpoint, witness);
    const key = /** @type {Key} */ (keys.at(-1));
    progress.prove("checkpoint", { origin: checkpoint.origin, key: key.text });
    if (hasReceipts) {
      const further = receiptKeys.map((text) => keyOf(text, SERVER_KEY, "receipts", "no-receipt-key"));
      const counts = await checkReceipts(kept, bundle, digests, [...keys, ...further]);
      progress.prove("receipts", counts, counts.others > 0 ? "proven-in-part" : counts.later > 0 ? "proven-with-later" : "proven");
    }
    const isGiven = publicKey !== undefined;
    Object.assign(progress.report, {
      ...{ verdict: "verified", ...findings(bundle, game), seats: reportedSeats(game, signedBy), key: keyReport(key, isGiven) },
      log: { origin: checkpoint.origin, size: String(checkpoint.size), leaf: bundle.leaf },
    });
    const known = { isGiven, witnesses: witnesses.length, hasOthers: hasOtherSignatures(checkpoint, signers) };
    statements(bundle, game, progress.report.seats, known).forEach((statement) => progress.add(statement));
  } catch (error) {
    progress.stop(error, followed.version || null);
  }
  return progress.report;
}

/** The game, and the seat of each signed move.
 * @param {Bundle} bundle @param {Bytes[]} digests @param {{version: number}} followed up to which event @param {Progress} progress */
async function followedSigned(bundle, digests, followed, progress) {
  // Every bundle needs this in the end. Without it nobody knows whether the checks before are worth anything.
  if (!(await canVerify())) {
    explainOnly(bundle, digests, progress);
    throw new Undecided("signatures", "no-ed25519");
  }
  const signatures = new MoveSignatures(bundle, digests);
  const course = new Course(bundle.events, signatures);
  try {
    const game = followedGame(course, bundle);
    return { game, signedBy: await signatures.check() };
  } catch (error) {
    followed.version = course.version;
    // Signatures are checked later than they are found, but a bad one counts from the event on that it stands at.
    await signatures.check();
    throw error;
  }
}

/** Tell what a bundle says although this browser can't check it. Its readers still want to know what happened.
 * @param {Bundle} bundle @param {Bytes[]} digests @param {Progress} progress */
function explainOnly(bundle, digests, progress) {
  try {
    const game = followedGame(new Course(bundle.events, new MoveSignatures(bundle, digests)), bundle);
    Object.assign(progress.report, findings(bundle, game), { seats: reportedSeats(game, []) });
  } catch {
    // Then there is nothing to tell, and nothing is claimed either.
  }
}

/** @param {Progress} progress @param {Game} game @param {number} signed */
function proveGame(progress, { chains, diceProven, rounds }, signed) {
  progress.prove("commitments");
  progress.prove("signatures", { count: signed });
  progress.prove("links", { count: chains.links });
  progress.prove("dice", { count: diceProven });
  progress.prove("bids");
  progress.prove("outcome", { count: rounds.length });
}

/** The bundle's own key, and the one that the caller gave. @param {string} own @param {string | undefined} given @returns {Key[]} */
function knownKeys(own, given) {
  const key = keyOf(own, SERVER_KEY, "checkpoint", "no-bundle-key");
  return given === undefined || given === own ? [key] : [key, keyOf(given, SERVER_KEY, "checkpoint", "no-given-key")];
}

/** @param {string} text @param {number} kind @param {CheckName} check @param {string} reason @returns {Key} */
function keyOf(text, kind, check, reason) {
  const key = readKey(text, kind);
  need(key !== null, check, reason);
  return key;
}

/** What a game says about itself. @param {Bundle} bundle @param {Game} game */
function findings({ round }, { abandoned, places, rounds, rulebook, timeOuts }) {
  return { rulebook, rounds, timeOuts, challenge: round === null ? null : (rounds.at(-1)?.challenge ?? null), places, abandoned };
}
