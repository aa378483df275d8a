/**
 * Reads JSON of protobuf, which leaves out what has its default value, into values that have every field.
 *
 * A shape names the fields of a message, and for each the function that reads it. Nothing of the wrong kind gets through:
 * what the rest of the client computes with is what the types say.
 */

import { fromBase64 } from "../bytes.js";
import { Refused } from "../transport/refusal.js";

/** @typedef {(raw: unknown) => any} Read */
/** @typedef {Record<string, Read>} Shape */

const WHOLE_TEXT = /^-?\d{1,16}$/;

/** @param {string} what @returns {never} */
function malformed(what) {
  throw new Refused("internal", `the server's answer is not valid: ${what}`, { reason: "ANSWER_MALFORMED" });
}

/** @param {unknown} raw */
function isUnset(raw) {
  return raw === undefined || raw === null;
}

/** @type {Read} */
export function text(raw) {
  if (isUnset(raw)) return "";
  return typeof raw === "string" ? raw : malformed("a text is none");
}

/** @type {Read} */
export function flag(raw) {
  if (isUnset(raw)) return false;
  return typeof raw === "boolean" ? raw : malformed("a yes or no is neither");
}

/** A whole number; those of 64 bits are texts in JSON. @type {Read} */
export function whole(raw) {
  if (isUnset(raw)) return 0;
  const number = typeof raw === "string" && WHOLE_TEXT.test(raw) ? Number(raw) : raw;
  return Number.isSafeInteger(number) ? number : malformed("a whole number is none");
}

/** @type {Read} */
export function bytes(raw) {
  if (isUnset(raw)) return new Uint8Array();
  try {
    return fromBase64(text(raw));
  } catch {
    return malformed("bytes are not in base64");
  }
}

/** Milliseconds since 1970; null if it is not set. @type {Read} */
export function time(raw) {
  if (isUnset(raw)) return null;
  const milliseconds = Date.parse(text(raw));
  return Number.isNaN(milliseconds) ? malformed("a time is none") : milliseconds;
}

/** The name of an enum's value without the name of the enum, in small letters; null if it is not set.
 * @param {string} prefix @returns {Read} */
export function named(prefix) {
  return (raw) => {
    const name = text(raw);
    return name === "" || name === `${prefix}_UNSPECIFIED` ? null : name.replace(`${prefix}_`, "").toLowerCase();
  };
}

/** Like `read`, but null if it is not set. @param {Read} read @returns {Read} */
export function maybe(read) {
  return (raw) => (isUnset(raw) ? null : read(raw));
}

/** @param {Read} read @returns {Read} */
export function many(read) {
  return (raw) => {
    if (isUnset(raw)) return [];
    return Array.isArray(raw) ? raw.map(read) : malformed("a list is none");
  };
}

/** @param {Shape} shape @returns {Read} */
export function message(shape) {
  const fields = Object.entries(shape);
  return (raw) => {
    const given = isUnset(raw) ? {} : raw;
    if (typeof given !== "object" || Array.isArray(given)) malformed("a message is none");
    const from = /** @type {Record<string, unknown>} */ (given);
    return Object.fromEntries(fields.map(([name, read]) => [name, read(from[name])]));
  };
}

/** A list that is a message of its own, as protobuf has no lists of lists. @param {string} name @returns {Read} */
export function listIn(name) {
  const read = message({ [name]: many(whole) });
  return (raw) => read(raw)[name];
}

/** Dice; null if the viewer may not see them. @type {Read} */
export function hand(raw) {
  const { dice, hidden } = HAND(raw);
  return isUnset(raw) || hidden ? null : dice;
}

const HAND = message({ dice: many(whole), hidden: flag });
