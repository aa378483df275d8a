/** Numbers of statistics as they are written: rates in per cent with one digit, everything rounded in one place. */

/** @import {Words} from "../words/words.js" */

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/** @param {Words} words @param {Intl.NumberFormatOptions} options */
function format(words, options) {
  const key = `${words.language} ${options.style} ${options.maximumFractionDigits}`;
  const known = formats.get(key) ?? new Intl.NumberFormat(words.language, options);
  formats.set(key, known);
  return known;
}

/** A number with so many digits after the point. @param {Words} words @param {number} value @param {number} [digits] */
export function number(words, value, digits = 1) {
  return format(words, { style: "decimal", minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
}

/** A whole number, or as many digits as it needs. @param {Words} words @param {number} value */
export function whole(words, value) {
  return format(words, { style: "decimal", maximumFractionDigits: 0 }).format(value);
}

/** A share from 0 to 1. @param {Words} words @param {number} share */
export function percent(words, share) {
  return format(words, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(share);
}

/** A difference of chances, in points of per cent. @param {Words} words @param {number} share */
export function points(words, share) {
  // "Per cent" would be read as a share; the format does the rounding, so the sign of per cent is only left out.
  const parts = format(words, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }).formatToParts(share);
  const text = parts.filter((part) => part.type !== "percentSign" && part.type !== "literal").map((part) => part.value).join("");
  return words.messages.statistics.points({ text });
}

/** @param {Words} words @param {number} value */
export function seconds(words, value) {
  return words.messages.statistics.seconds({ text: number(words, value) });
}

/** An interval; nothing where there is none. @param {Words} words @param {{low: number | null, high: number | null}} ends @param {(words: Words, value: number) => string} write */
export function range(words, { low, high }, write) {
  return low === null || high === null ? null : words.messages.statistics.range({ low: write(words, low), high: write(words, high) });
}
