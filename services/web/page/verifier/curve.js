/**
 * Public keys of Ed25519: whether 32 bytes are a point of the curve that can be a key (RFC 8032).
 *
 * WebCrypto takes any 32 bytes. With a point of small order anybody can make signatures that are good for many texts.
 */

/** @import {Bytes} from "./bytes.js" */

const PRIME = 2n ** 255n - 19n;
const D = modulo(-121665n * inverse(121666n));
const ROOT_OF_MINUS_ONE = power(2n, (PRIME - 1n) / 4n);

/** Whether a key can be one: it is a point of the curve, in its one spelling, and not one of small order. @param {Bytes} key */
export function isGoodKey(key) {
  let [x, y] = pointOf(key) ?? [0n, 1n];
  for (let doubling = 0; doubling < 3; doubling += 1) [x, y] = doubled(x, y);
  return !(x === 0n && y === 1n);
}

/** @param {Bytes} key @returns {[bigint, bigint] | null} */
function pointOf(key) {
  const number = key.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const [y, sign] = [BigInt.asUintN(255, number), number >> 255n];
  if (y >= PRIME) return null;
  const x = rootOf(modulo((y * y - 1n) * inverse(modulo(D * y * y + 1n))));
  if (x === null || (x === 0n && sign === 1n)) return null;
  return [x % 2n === sign ? x : PRIME - x, y];
}

/** @param {bigint} square @returns {bigint | null} */
function rootOf(square) {
  const root = power(square, (PRIME + 3n) / 8n);
  const candidates = [root, modulo(root * ROOT_OF_MINUS_ONE)];
  return candidates.find((candidate) => modulo(candidate * candidate) === square) ?? null;
}

/** A point, added to itself. @param {bigint} x @param {bigint} y @returns {[bigint, bigint]} */
function doubled(x, y) {
  const both = modulo(D * modulo(x * x) * modulo(y * y));
  return [modulo(2n * x * y * inverse(1n + both)), modulo((y * y + x * x) * inverse(modulo(1n - both)))];
}

/** @param {bigint} number */
function modulo(number) {
  const rest = number % PRIME;
  return rest < 0n ? rest + PRIME : rest;
}

/** @param {bigint} number */
function inverse(number) {
  return power(number, PRIME - 2n);
}

/** @param {bigint} number @param {bigint} exponent */
function power(number, exponent) {
  let [result, square] = [1n, modulo(number)];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = modulo(result * square);
    square = modulo(square * square);
  }
  return result;
}
