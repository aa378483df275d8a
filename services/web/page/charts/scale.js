/** Scales and ticks: where a value lies on an axis, in hundredths of its length, and which values are written beside it. */

/** @import {Words} from "../words/words.js" */

/**
 * @typedef {object} Axis what an axis shows
 * @property {string} label what is measured
 * @property {"number" | "whole" | "share" | "time"} [kind] `share` goes from 0 to 1 and is written in per cent, `time` is milliseconds since 1970
 * @property {number} [min] where the axis begins; at the smallest value if not set
 * @property {number} [max]
 * @property {(value: number) => string} [format] how a value is written, if not as its kind is
 */

/** @typedef {{min: number, max: number, ticks: number[], at: (value: number) => number, written: (value: number) => string, label: string}} Scale */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TIME_STEPS = [
  ...[SECOND, 5 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  ...[HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 91 * DAY, 182 * DAY, 365 * DAY, 730 * DAY, 1825 * DAY],
];

/** The scale of an axis for these values. @param {Axis} axis @param {number[]} values @param {Words} words @param {{ticks?: number, snug?: boolean}} [look] `snug` ends at the values, not at ticks
 * @returns {Scale} */
export function scaleOf(axis, values, words, { ticks: wanted = 5, snug = false } = {}) {
  const low = axis.min ?? Math.min(...values, Infinity);
  const high = axis.max ?? Math.max(...values, -Infinity);
  const [from, to] = !Number.isFinite(low) || !Number.isFinite(high) ? [0, 1] : low < high ? [low, high] : widened(low, axis);
  const step = axis.kind === "time" ? timeStep(to - from, wanted) : niceStep(to - from, wanted, axis.kind === "whole");
  const min = snug || axis.min !== undefined ? from : Math.floor(from / step + 1e-9) * step;
  const max = snug || axis.max !== undefined ? to : Math.ceil(to / step - 1e-9) * step;
  return {
    min,
    max,
    ticks: axis.kind === "time" ? timeTicks(min, max, step) : ticksBetween(min, max, step),
    at: (value) => round(((value - min) / (max - min)) * 100),
    written: axis.format ?? writer(axis, step, words),
    label: axis.label,
  };
}

/** One, two or five times a power of ten, so that about as many steps as wanted lie in a range. @param {number} range @param {number} wanted @param {boolean} [whole] */
export function niceStep(range, wanted, whole = false) {
  const rough = range / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10) * power;
  return whole ? Math.max(1, Math.round(step)) : step;
}

/** @param {number} min @param {number} max @param {number} step */
function ticksBetween(min, max, step) {
  const first = Math.ceil(min / step - 1e-9);
  const last = Math.floor(max / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** @param {number} range @param {number} wanted */
function timeStep(range, wanted) {
  return TIME_STEPS.find((step) => range / step <= wanted) ?? TIME_STEPS.at(-1) ?? DAY;
}

/** Ticks at round times of the reader's own clock. @param {number} min @param {number} max @param {number} step */
function timeTicks(min, max, step) {
  const shift = new Date(min).getTimezoneOffset() * MINUTE;
  return ticksBetween(min - shift, max - shift, step).map((tick) => tick + shift);
}

/** A range around a single value. @param {number} value @param {Axis} axis @returns {[number, number]} */
function widened(value, axis) {
  if (axis.kind === "time") return [value - MINUTE, value + MINUTE];
  if (axis.min !== undefined) return [value, value + 1];
  return axis.max !== undefined ? [value - 1, value] : [value - 1, value + 1];
}

/** @param {Axis} axis @param {number} step @param {Words} words @returns {(value: number) => string} */
function writer(axis, step, words) {
  if (axis.kind === "share") return (value) => words.percent(value);
  if (axis.kind !== "time") return (value) => words.number(value);
  const zoom = step < MINUTE ? { hour: "numeric", minute: "2-digit", second: "2-digit" } : step < DAY ? { hour: "numeric", minute: "2-digit" } : dayParts(step);
  const format = new Intl.DateTimeFormat(words.language, /** @type {Intl.DateTimeFormatOptions} */ (zoom));
  return (value) => format.format(value);
}

/** @param {number} step */
function dayParts(step) {
  return step < 30 * DAY ? { day: "numeric", month: "short" } : step < 365 * DAY ? { month: "short", year: "numeric" } : { year: "numeric" };
}

/** @param {number} value */
export function round(value) {
  return Math.round(value * 100) / 100;
}
