/**
 * SHA-256 (FIPS 180-4) and HMAC (RFC 2104), computed here and now.
 *
 * WebCrypto answers each call later. A game has thousands of short hashes of which each needs the one before, and waiting for
 * all of them takes ten times as long as computing them.
 */

/** @import {Bytes} from "./bytes.js" */
import { joined } from "./bytes.js";

/** @typedef {Int32Array & {0: number, 1: number, 2: number, 3: number, 4: number, 5: number, 6: number, 7: number}} Words */

const BLOCK = 64;
const SCHEDULE = new Int32Array(64);
const STATE = /** @type {Words} */ (new Int32Array(8));
const [INITIAL, ROUND] = constants();

/** SHA-256. @param {Uint8Array} message @returns {Bytes} */
export function sha256(message) {
  STATE.set(INITIAL);
  const whole = message.length - (message.length % BLOCK);
  for (let at = 0; at < whole; at += BLOCK) compress(message, at);
  const rest = message.length - whole;
  const padded = new Uint8Array(rest < BLOCK - 8 ? BLOCK : 2 * BLOCK);
  for (let index = 0; index < rest; index += 1) padded[index] = /** @type {number} */ (message[whole + index]);
  padded[rest] = 0x80;
  // The length in bits, of which 53 are enough.
  for (let index = 1, bits = message.length * 8; bits > 0; index += 1, bits = Math.floor(bits / 256)) padded[padded.length - index] = bits % 256;
  for (let at = 0; at < padded.length; at += BLOCK) compress(padded, at);
  const hash = new Uint8Array(32);
  for (let index = 0; index < 32; index += 1) hash[index] = /** @type {number} */ (STATE[index >> 2]) >>> (24 - 8 * (index & 3));
  return hash;
}

/** HMAC-SHA-256 with a key of at most 64 bytes. @param {Uint8Array} key @param {Uint8Array} message @returns {Bytes} */
export function hmac(key, message) {
  const inner = new Uint8Array(BLOCK).fill(0x36);
  const outer = new Uint8Array(BLOCK).fill(0x5c);
  key.forEach((byte, index) => {
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  });
  return sha256(joined(outer, sha256(joined(inner, message))));
}

/** Take a block into the state. @param {Uint8Array} bytes @param {number} at */
function compress(bytes, at) {
  const [w, state] = [SCHEDULE, STATE];
  for (let index = 0; index < 16; index += 1) w[index] = word(bytes, at + index * 4);
  for (let index = 16; index < 64; index += 1) {
    const two = /** @type {number} */ (w[index - 2]);
    const fifteen = /** @type {number} */ (w[index - 15]);
    const small1 = turned(two, 17) ^ turned(two, 19) ^ (two >>> 10);
    const small0 = turned(fifteen, 7) ^ turned(fifteen, 18) ^ (fifteen >>> 3);
    w[index] = (/** @type {number} */ (w[index - 16]) + small0 + /** @type {number} */ (w[index - 7]) + small1) | 0;
  }
  let { 0: a, 1: b, 2: c, 3: d, 4: e, 5: f, 6: g, 7: h } = state;
  for (let index = 0; index < 64; index += 1) {
    const big1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const one = (h + big1 + chosen + /** @type {number} */ (ROUND[index]) + /** @type {number} */ (w[index])) | 0;
    const big0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + big0 + majority) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

/** Four bytes as a word. @param {Uint8Array} bytes @param {number} at */
function word(bytes, at) {
  const [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  return (/** @type {number} */ (a) << 24) | (/** @type {number} */ (b) << 16) | (/** @type {number} */ (c) << 8) | /** @type {number} */ (d);
}

/** A word turned to the right. @param {number} word @param {number} bits */
function turned(word, bits) {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first bits after the point of the square roots of 8 primes and of the cube roots of 64. @returns {[Int32Array, Int32Array]} */
function constants() {
  /** @type {number[]} */
  const primes = [];
  for (let number = 2; primes.length < 64; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  const fraction = (/** @type {number} */ root) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
  return [Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))), Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))];
}
