/** Bytes, and the ways to write them down. The folder has its own, so that it works wherever it is copied. */

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

const ENCODER = new TextEncoder();
/** 32 and 64 bytes as an encoder spells them: the bits that the last sign does not need are 0. */
const BASE64_OF_32 = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;
const BASE64_OF_64 = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

/** The UTF-8 bytes of a text. @param {string} text @returns {Bytes} */
export function utf8(text) {
  return ENCODER.encode(text);
}

/** Byte strings joined to one. @param {...Uint8Array} parts @returns {Bytes} */
export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A whole number with the highest byte first. @param {number} number @param {number} length @returns {Bytes} */
export function bigEndian(number, length) {
  const bytes = new Uint8Array(length);
  for (let index = length - 1, rest = number; index >= 0; index -= 1, rest = Math.floor(rest / 256)) {
    bytes[index] = rest % 256;
  }
  return bytes;
}

/** Whether two byte strings are the same. @param {Uint8Array} one @param {Uint8Array} other */
export function same(one, other) {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** @param {Uint8Array} bytes */
export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Uint8Array} bytes */
export function toBase64(bytes) {
  const pieces = [];
  // Spread arguments are limited, and a megabyte of them is too much for some browsers.
  for (let at = 0; at < bytes.length; at += 8192) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return btoa(pieces.join(""));
}

/** The bytes of a base64 text; null if an encoder would spell them in another way. @param {string} text @returns {Bytes | null} */
export function fromBase64(text) {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null;
  const bytes = decoded(text);
  return toBase64(bytes) === text ? bytes : null;
}

/** Whether a value is a text that spells 32 bytes. @param {unknown} value @returns {value is string} */
export function spells32Bytes(value) {
  return typeof value === "string" && BASE64_OF_32.test(value);
}

/** Whether a value is a text that spells 64 bytes. @param {unknown} value @returns {value is string} */
export function spells64Bytes(value) {
  return typeof value === "string" && BASE64_OF_64.test(value);
}

/** The bytes of a base64 text that is known to be one. @param {string} text @returns {Bytes} */
export function decoded(text) {
  const signs = atob(text);
  const bytes = new Uint8Array(signs.length);
  for (let index = 0; index < signs.length; index += 1) bytes[index] = signs.charCodeAt(index);
  return bytes;
}
