/** Keys that verify checkpoints, as they are written down. */

/** @import {Bytes} from "./bytes.js" */
/** @import {KeyReport} from "./report.js" */
import { fromBase64, joined, same, toHex, utf8 } from "./bytes.js";
import { isShownText } from "./json.js";
import { sha256 } from "./sha256.js";

export const SERVER_KEY = 0x01;
export const WITNESS_KEY = 0x04;
const WRITTEN = /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u;

/** @typedef {{text: string, name: string, id: Bytes, publicKey: Bytes, fingerprint: string}} Key */

/** The key that a text is; null if it is none of this kind. @param {string} text @param {number} kind @returns {Key | null} */
export function readKey(text, kind) {
  const [, name = "", id = "", spelled = ""] = WRITTEN.exec(text) ?? [];
  const bytes = fromBase64(spelled);
  if (bytes === null || bytes.length !== 33 || bytes[0] !== kind || !isShownText(name)) return null;
  const hash = sha256(joined(utf8(`${name}\n`), bytes));
  if (toHex(hash.subarray(0, 4)) !== id) return null;
  return { text, name, id: hash.slice(0, 4), publicKey: bytes.slice(1), fingerprint: toHex(hash) };
}

/** Whether two keys are the same. @param {Key} one @param {Key} other */
export function isSameKey(one, other) {
  return one.name === other.name && same(one.publicKey, other.publicKey);
}

/** @param {Key} key @param {boolean} isGiven @returns {KeyReport} */
export function keyReport({ fingerprint, id, name, text }, isGiven) {
  return { text, name, id: toHex(id), fingerprint, isGiven };
}
