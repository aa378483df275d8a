/** Ed25519 signatures by WebCrypto, which is the only thing here that has to be waited for. */

/** @import {Bytes} from "./bytes.js" */
import { toHex } from "./bytes.js";

/** A key of RFC 8032, section 7.1, to find out whether this browser knows Ed25519 at all. */
const KNOWN_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

/** @typedef {{key: Bytes, text: Bytes, signature: Bytes}} Signature */

/** Whether signatures can be checked here. Old browsers can't, nor can pages that came over plain http. */
export async function canVerify() {
  const key = Uint8Array.from(KNOWN_KEY.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  try {
    await imported(key);
    return true;
  } catch {
    return false;
  }
}

/** Which signatures are those of their keys. @param {readonly Signature[]} signatures @returns {Promise<boolean[]>} */
export async function areGood(signatures) {
  /** Somebody who signs a hundred moves has one key. @type {Map<string, Promise<CryptoKey>>} */
  const keys = new Map();
  return Promise.all(
    signatures.map((signature) => {
      const name = toHex(signature.key);
      const key = keys.get(name) ?? imported(signature.key);
      keys.set(name, key);
      return isGood(signature, key);
    }),
  );
}

/** @param {Signature} signature @param {Promise<CryptoKey>} key */
async function isGood({ signature, text }, key) {
  try {
    return await crypto.subtle.verify("Ed25519", await key, signature, text);
  } catch {
    // Some browsers refuse bytes that are no point of the curve, and nobody signs with those.
    return false;
  }
}

/** @param {Bytes} key */
function imported(key) {
  return crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
}
