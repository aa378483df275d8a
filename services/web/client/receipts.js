/**
 * Receipts: what the server has signed about each accepted command. They are checked when they come, and kept.
 *
 * A kept receipt proves what was accepted, also if the server forgets or changes it before the log has it.
 * `docs/reference/audit-format.md` has their bytes, and `liarsdice verify --receipts` holds them against a bundle.
 */

/** @import {Bytes} from "./bytes.js" */
/** @import {Done} from "./messages/types.js" */
/** @import {Connection} from "./transport/connection.js" */
import { bigEndian, fromBase64, joined, same, toBase64, utf8 } from "./bytes.js";
import { sha256 } from "./fairness/chain.js";
import { many, text } from "./messages/decode.js";
import { FalseServer, Refused, Unreachable } from "./transport/refusal.js";

export const FORMAT = "liarsdice.receipts.v1";
const SIGNATURE = 1;
const HASH_LENGTH = 32;
const PATH_MAX = 16;
const SIZE_MAX = 65_536;
/** How many bytes the version, the digest, the salt, the index, the size, the id of the key and the signature have. */
const LENGTHS = [8, 32, 16, 4, 4, 4, 64];
const FIXED = LENGTHS.reduce((sum, length) => sum + length, 0);

/** @typedef {{version: number, digest: Bytes, salt: Bytes, index: number, size: number, keyId: string, signature: Bytes, path: Bytes[]}} Receipt */

/** Checks the receipts of one client with the keys of the server's log. */
export class Receipts {
  #connection;
  /** Public keys by their ids. @type {Map<string, Bytes>} */
  #keys = new Map();

  /** @param {Connection} connection */
  constructor(connection) {
    this.#connection = connection;
  }

  /** Throws FalseServer for a receipt that the log's key has not signed, or that is for something else than what the answer
   * says. @param {string} gameId @param {Bytes} content @param {Done | null} done */
  async check(gameId, content, done) {
    const receipt = receiptOf(content);
    if (receipt === null) throw new FalseServer(gameId, "it gives a receipt that is none");
    if (done !== null && (receipt.version !== done.version || !same(receipt.digest, done.digest))) {
      throw new FalseServer(gameId, `its receipt for event ${done.version} is one for another event or digest`);
    }
    // If nobody can check it now, it is kept, and checked against a bundle later.
    if (!this.#keys.has(receipt.keyId) && !(await this.#findKeys())) return;
    const key = this.#keys.get(receipt.keyId);
    if (key !== undefined && (await isSigned(receipt, gameId, key)) !== false) return;
    throw new FalseServer(gameId, `its receipt for event ${receipt.version} is not signed by a key of its log`);
  }

  /** Ask for the keys of the log; returns whether the server told them. */
  async #findKeys() {
    try {
      const { keys } = await this.#connection.ask("AuditService", "GetCheckpoint", {});
      for (const key of many(text)(keys)) this.#note(key);
      return true;
    } catch (error) {
      if (error instanceof Refused || error instanceof Unreachable) return false;
      throw error;
    }
  }

  /** @param {string} key as NAME+ID+KEY */
  #note(key) {
    const [, id = "", encoded = ""] = /^[^+]+\+([0-9a-f]{8})\+(.+)$/u.exec(key) ?? [];
    const content = fromBase64(encoded);
    if (content[0] === SIGNATURE) this.#keys.set(id, content.slice(1));
  }
}

/** The receipts of a game as the file that `liarsdice verify --receipts` reads. @param {string} gameId @param {readonly string[]} lines */
export function fileOf(gameId, lines) {
  return [FORMAT, gameId, ...lines].map((line) => `${line}\n`).join("");
}

/** The receipt in these bytes; null if they are none. @param {Bytes} content @returns {Receipt | null} */
function receiptOf(content) {
  const path = hashesOf(content.slice(FIXED));
  if (content.length < FIXED || path === null) return null;
  let start = 0;
  const parts = LENGTHS.map((length) => content.slice(start, (start += length)));
  const [version, digest, salt, index, size, keyId, signature] = /** @type {[Bytes, Bytes, Bytes, Bytes, Bytes, Bytes, Bytes]} */ (parts);
  const id = [...keyId].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return { version: numberOf(version), digest, salt, index: numberOf(index), size: numberOf(size), keyId: id, signature, path };
}

/** @param {Bytes} bytes @returns {Bytes[] | null} */
function hashesOf(bytes) {
  if (bytes.length % HASH_LENGTH !== 0 || bytes.length > PATH_MAX * HASH_LENGTH) return null;
  return Array.from({ length: bytes.length / HASH_LENGTH }, (_, at) => bytes.slice(at * HASH_LENGTH, (at + 1) * HASH_LENGTH));
}

/** @param {Bytes} bytes */
function numberOf(bytes) {
  return bytes.reduce((number, byte) => number * 256 + byte, 0);
}

/** Whether a key has signed the tree that a receipt is a leaf of; null if this program can't tell, because its WebCrypto has no
 * Ed25519. @param {Receipt} receipt @param {string} gameId @param {Bytes} key @returns {Promise<boolean | null>} */
async function isSigned(receipt, gameId, key) {
  const root = await rootOf(receipt, gameId);
  if (root === null) return false;
  try {
    const imported = await crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
    const statement = joined(utf8("liarsdice.receipts.v1\n"), bigEndian(receipt.size, 4), root);
    return await crypto.subtle.verify("Ed25519", imported, receipt.signature, statement);
  } catch {
    return null;
  }
}

/** The root to which the path leads (RFC 9162, 2.1.3.2); null if it is no path for this index and size.
 * @param {Receipt} receipt @param {string} gameId @returns {Promise<Bytes | null>} */
async function rootOf({ digest, index, path, salt, size, version }, gameId) {
  if (index >= size || size > SIZE_MAX) return null;
  const name = utf8(gameId);
  const leaf = joined(utf8("liarsdice.receipt.v1\n"), salt, bigEndian(name.length, 2), name, bigEndian(version, 8), digest);
  let node = await sha256(joined(Uint8Array.of(0), leaf));
  let [place, last] = [index, size - 1];
  for (const sibling of path) {
    if (last === 0) return null;
    const isRight = place % 2 === 1 || place === last;
    node = await sha256(isRight ? joined(Uint8Array.of(1), sibling, node) : joined(Uint8Array.of(1), node, sibling));
    // Where the tree has no right side, the node goes up as it is until it is a right one.
    if (isRight) for (; place % 2 === 0 && place > 0; last >>= 1) place >>= 1;
    place >>= 1;
    last >>= 1;
  }
  return last === 0 ? node : null;
}

/** A receipt as a line of a file. @param {Bytes} receipt */
export function lineOf(receipt) {
  return toBase64(receipt);
}
