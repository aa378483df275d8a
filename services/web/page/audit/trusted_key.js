/** The key that the reader trusts. It is kept in this browser alone. */

import { readKey, SERVER_KEY } from "../verifier/keys.js";

/** @typedef {{text: string, at: number}} TrustedKey the key, and when the reader began to trust it */

const KEPT_AS = "liarsdice.trusted-key";

/** @returns {TrustedKey | null} */
export function trustedKey() {
  try {
    const { text, at } = JSON.parse(localStorage.getItem(KEPT_AS) ?? "null") ?? {};
    return isKey(text) && typeof at === "number" ? { text, at } : null;
  } catch {
    return null; // The browser keeps nothing for us, or something else was kept there.
  }
}

/** @param {string} text @returns {TrustedKey} */
export function trust(text) {
  const trusted = { text, at: Date.now() };
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(trusted));
  } catch {
    // Then it is trusted until the page is closed.
  }
  return trusted;
}

export function forgetKey() {
  try {
    localStorage.removeItem(KEPT_AS);
  } catch {
    // Then nothing was kept.
  }
}

/** @param {unknown} text @returns {text is string} */
export function isKey(text) {
  return typeof text === "string" && readKey(text, SERVER_KEY) !== null;
}

/** The hash of a key, for reading it aloud; empty if the text is no key. @param {string} text */
export function fingerprint(text) {
  return readKey(text, SERVER_KEY)?.fingerprint ?? "";
}

/** The key that a bundle says it is signed with; null if it says none. @param {Uint8Array} bytes @returns {string | null} */
export function keyIn(bytes) {
  try {
    const { key } = JSON.parse(new TextDecoder().decode(bytes));
    return isKey(key) ? key : null;
  } catch {
    return null;
  }
}
