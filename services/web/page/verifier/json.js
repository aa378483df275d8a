/** JSON in the one spelling that is accepted, and texts in which everything can be seen. */

import { isShown, lengthOf } from "./characters.js";

/** @typedef {null | boolean | number | string | JsonList | JsonObject} Json */
/** @typedef {Json[]} JsonList */
/** @typedef {{[name: string]: Json}} JsonObject */

const ID = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * The value of a text that is spelled as an encoder spells it; undefined if it is not.
 *
 * A value that is written again gives the same text only if no name stands twice, no blank is between the parts, and no number or
 * sign is written in an unusual way.
 *
 * @param {string} text @returns {Json | undefined}
 */
export function readJson(text) {
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    // No JSON, or nested so deeply that it can't be written again.
    return undefined;
  }
}

/** @param {Json | undefined} value @returns {value is JsonObject} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether it is a whole number from 0 on that is exact here. @param {Json | undefined} value @returns {value is number} */
export function isWhole(value) {
  return Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;
}

/** Whether it is a text of at least one sign and at most so many, all of which are allowed.
 * @param {Json | undefined} value @param {number} lengthMax @returns {value is string} */
export function isShownText(value, lengthMax) {
  return typeof value === "string" && value !== "" && isShown(value) && lengthOf(value) <= lengthMax;
}

/** Whether it is the id of a game or of a player. @param {Json | undefined} value @returns {value is string} */
export function isId(value) {
  return typeof value === "string" && ID.test(value);
}

/** Whether an object has these members, in this order, and no others. @param {JsonObject} object @param {readonly string[]} names */
export function hasMembers(object, names) {
  const found = Object.keys(object);
  return found.length === names.length && found.every((name, index) => name === names[index]);
}
