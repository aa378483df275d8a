/** JSON in the one spelling that is accepted, and texts in which everything can be seen. */

/** @typedef {null | boolean | number | string | JsonList | JsonObject} Json */
/** @typedef {Json[]} JsonList */
/** @typedef {{[name: string]: Json}} JsonObject */

/** Control signs, signs that turn the direction of writing, unknown signs, and blanks; but not a space, nor the joiner inside of emoji. */
const NOT_SHOWN = /(?![ \u200d])[\p{C}\p{Z}]/u;

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

/** Whether it is a text without signs that nobody sees. @param {Json | undefined} value @returns {value is string} */
export function isShownText(value) {
  return typeof value === "string" && !NOT_SHOWN.test(value);
}

/** Whether an object has these members, in this order, and no others. @param {JsonObject} object @param {readonly string[]} names */
export function hasMembers(object, names) {
  const found = Object.keys(object);
  return found.length === names.length && found.every((name, index) => name === names[index]);
}
