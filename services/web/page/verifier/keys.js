/** Keys that verify checkpoints, as they are written down. */

/** @import {Bytes} from "./bytes.js" */
/** @import {KeyReport} from "./report.js" */
import { fromBase64, joined, same, toHex, utf8 } from "./bytes.js";
import { isGoodKey } from "./curve.js";
import { isShownText } from "./json.js";
import { sha256 } from "./sha256.js";

export const SERVER_KEY = 0x01;
export const WITNESS_KEY = 0x04;
/** Of a key or of a log. */
export const NAME_LENGTH_MAX = 255;
const WRITTEN = /^([^+ ]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u;

/** @typedef {{text: string, name: string, id: Bytes, publicKey: Bytes, fingerprint: string}} Key */

/** The key that a text is; null if it is none of this kind. @param {string} text @param {number} kind @returns {Key | null} */
export function readKey(text, kind) {
  const [, name = "", id = "", spelled = ""] = WRITTEN.exec(text) ?? [];
  const bytes = fromBase64(spelled);
  if (bytes === null || bytes.length !== 33 || bytes[0] !== kind || !isKeyName(name)) return null;
  const hash = sha256(joined(utf8(`${name}\n`), bytes));
  if (toHex(hash.subarray(0, 4)) !== id || !isGoodKey(bytes.slice(1))) return null;
  return { text, name, id: hash.slice(0, 4), publicKey: bytes.slice(1), fingerprint: toHex(hash) };
}

/** Whether a text can be the name of a key (C2SP signed-note). @param {string} text */
export function isKeyName(text) {
  return isShownText(text, NAME_LENGTH_MAX) && !/[ +]/.test(text);
}

/** A key that signs under two names; undefined if there is none. @param {readonly Key[]} keys @returns {Key | undefined} */
export function usedTwice(keys) {
  return keys.find((key, index) => keys.slice(0, index).some((other) => same(key.publicKey, other.publicKey)));
}

/** @param {Key} key @param {boolean} isGiven @returns {KeyReport} */
export function keyReport({ fingerprint, id, name, text }, isGiven) {
  return { text, name, id: toHex(id), fingerprint, isGiven };
}
