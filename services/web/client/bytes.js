/** Bytes, and the ways to write them down. */

/** @typedef {Uint8Array<ArrayBuffer>} Bytes */

const ENCODER = new TextEncoder();

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
export function toBase64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** The bytes of a base64 text, of either alphabet, with padding or without. @param {string} text @returns {Bytes} */
export function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
}

/** JSON in which bytes are base64, as protobuf writes them. @param {unknown} value */
export function toJson(value) {
  return JSON.stringify(value, (_, part) => (part instanceof Uint8Array ? toBase64(part) : part));
}
