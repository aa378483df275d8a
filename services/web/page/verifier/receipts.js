/** Receipts: what the server signed about each accepted command, held against a bundle (`audit-format.md`, "Receipts"). */

/** @import {Bundle} from "./bundle.js" */
/** @import {Bytes} from "./bytes.js" */
/** @import {Key} from "./keys.js" */
import { bigEndian, fromBase64, joined, same, toHex, utf8 } from "./bytes.js";
import { areGood } from "./ed25519.js";
import { need } from "./failure.js";
import { rootsOf } from "./log_proof.js";
import { sha256 } from "./sha256.js";

export const RECEIPTS_FORMAT = "liarsdice.receipts.v1";
const FILE_BYTES_MAX = 33_554_432;
const SIZE_MAX = 65_536;
const HASH_LENGTH = 32;
const HASHES_MAX = 16;
/** How many bytes the parts before the hashes have. */
const LENGTHS = /** @type {const} */ ({ version: 8, digest: 32, salt: 16, index: 4, size: 4, keyId: 4, signature: 64 });
const FIXED = Object.values(LENGTHS).reduce((sum, length) => sum + length, 0);

/** @typedef {{version: bigint, digest: Bytes, salt: Bytes, index: number, size: number, keyId: string, signature: Bytes, hashes: Bytes[]}} Receipt */
/** @typedef {{count: number, later: number, others: number}} ReceiptCounts how many were checked; how many of these are for events after the bundle; how many are of other keys */

/** The receipts in a file about the game of a bundle. @param {Uint8Array} file @param {string} gameId @returns {Receipt[]} */
export function readReceipts(file, gameId) {
  need(file.length <= FILE_BYTES_MAX, "form", "receipts-too-large", { max: FILE_BYTES_MAX });
  need(file.every((byte) => byte < 0x80), "form", "no-receipts-file");
  const lines = new TextDecoder().decode(file).split("\n");
  need(lines.pop() === "" && lines.shift() === RECEIPTS_FORMAT && lines.length > 0, "form", "no-receipts-file");
  need(lines.shift() === gameId, "form", "receipts-of-another-game");
  return lines.map(readReceipt);
}

/** @param {string} line @param {number} index @returns {Receipt} */
function readReceipt(line, index) {
  const bytes = fromBase64(line);
  const values = { number: index + 1 };
  need(bytes !== null && bytes.length >= FIXED && (bytes.length - FIXED) % HASH_LENGTH === 0, "form", "no-receipt", values);
  need(bytes.length <= FIXED + HASHES_MAX * HASH_LENGTH, "form", "no-receipt", values);
  let at = 0;
  const part = (/** @type {number} */ length) => bytes.slice(at, (at += length));
  const { version, digest, salt, index: leaf, size, keyId, signature } = /** @type {Record<keyof typeof LENGTHS, Bytes>} */ (
    Object.fromEntries(Object.entries(LENGTHS).map(([name, length]) => [name, part(length)]))
  );
  const hashes = Array.from({ length: (bytes.length - FIXED) / HASH_LENGTH }, () => part(HASH_LENGTH));
  need(whole(version) > 0n, "form", "no-receipt", values);
  return { version: whole(version), digest, salt, index: Number(whole(leaf)), size: Number(whole(size)), keyId: toHex(keyId), signature, hashes };
}

/** Check receipts against a bundle that holds. Those of other keys are counted only.
 * @param {readonly Receipt[]} receipts @param {Bundle} bundle @param {Bytes[]} digests by version
 * @param {readonly Key[]} keys of two with one id the last counts @returns {Promise<ReceiptCounts>} */
export async function checkReceipts(receipts, bundle, digests, keys) {
  const known = new Map(keys.map((key) => [toHex(key.id), key.publicKey]));
  const ours = receipts.filter(({ keyId }) => known.has(keyId));
  const signed = ours.map((receipt) => ({
    key: /** @type {Bytes} */ (known.get(receipt.keyId)),
    text: signedText(receipt, bundle.gameId),
    signature: receipt.signature,
  }));
  for (const [index, isGood] of (await areGood(signed)).entries()) {
    need(isGood, "receipts", "receipt-not-signed", valuesOf(/** @type {Receipt} */ (ours[index])));
  }
  for (const receipt of ours) checkDigest(receipt, bundle, digests);
  const later = ours.filter(({ version }) => version >= BigInt(digests.length)).length;
  return { count: ours.length, later, others: receipts.length - ours.length };
}

/** Check that the bundle says of an event what the receipt said. If not, one key has signed both, and the server has lied.
 * @param {Receipt} receipt @param {Bundle} bundle @param {Bytes[]} digests */
function checkDigest(receipt, { round }, digests) {
  if (receipt.version >= BigInt(digests.length)) {
    need(round !== null, "receipts", "receipt-after-the-end", valuesOf(receipt));
    return;
  }
  const digest = /** @type {Bytes} */ (digests[Number(receipt.version)]);
  need(same(digest, receipt.digest), "receipts", "receipt-of-another-event", valuesOf(receipt));
}

/** What the key has signed: the root of the tree of which the receipt is a leaf. @param {Receipt} receipt @param {string} gameId @returns {Bytes} */
function signedText(receipt, gameId) {
  const { digest, hashes, index, salt, size, version } = receipt;
  need(size >= 1 && size <= SIZE_MAX && index < size, "receipts", "receipt-of-no-tree", valuesOf(receipt));
  const name = utf8(gameId);
  const place = [bigEndian(name.length, 2), name, bigEndian(Number(version >> 32n), 4), bigEndian(Number(version & 0xffffffffn), 4)];
  const leaf = sha256(joined(Uint8Array.of(0), utf8("liarsdice.receipt.v1\n"), salt, ...place, digest));
  const roots = rootsOf([leaf], BigInt(index), BigInt(size), hashes);
  need(typeof roots === "object", "receipts", "receipt-of-no-tree", valuesOf(receipt));
  return joined(utf8("liarsdice.receipts.v1\n"), bigEndian(size, 4), ...roots);
}

/** @param {Receipt} receipt */
function valuesOf({ version }) {
  return { version: String(version) };
}

/** @param {Bytes} bytes */
function whole(bytes) {
  return bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
}
