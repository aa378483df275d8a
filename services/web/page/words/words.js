/** The texts of the page in one language. Each language has one file with the same keys; a test compares them. */

/** @import {Language} from "../core/preferences.js" */
/** @import {Problem} from "../core/problem.js" */
import english from "./en.js";

/** @typedef {typeof english} Messages */

/** @type {Record<Language, () => Promise<{default: Messages}>>} */
const FILES = {
  en: async () => ({ default: english }),
  de: () => import("./de.js"),
  es: () => import("./es.js"),
};

/** Texts, and numbers and times as this language writes them. */
export class Words {
  /** @param {Language} language @param {Messages} messages */
  constructor(language, messages) {
    this.language = language;
    this.messages = messages;
    this.#number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
    this.#percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 });
    this.#date = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
    this.#day = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
    this.#clock = new Intl.DateTimeFormat(language, { timeStyle: "medium" });
    this.#list = new Intl.ListFormat(language, { type: "conjunction" });
  }

  #number;
  #percent;
  #date;
  #day;
  #clock;
  #list;

  /** @param {number} value */
  number(value) {
    return this.#number.format(value);
  }

  /** @param {number} share from 0 to 1 */
  percent(share) {
    return this.#percent.format(share);
  }

  /** @param {number} milliseconds since 1970 */
  time(milliseconds) {
    return this.#date.format(milliseconds);
  }

  /** @param {number} milliseconds since 1970 */
  day(milliseconds) {
    return this.#day.format(milliseconds);
  }

  /** The time of day. @param {number} milliseconds since 1970 */
  clock(milliseconds) {
    return this.#clock.format(milliseconds);
  }

  /** @param {string[]} names */
  list(names) {
    return this.#list.format(names);
  }

  /** A problem in this language; in the server's own words if the page has none for its reason. @param {Problem} problem */
  problem(problem) {
    /** @type {Record<string, (metadata: Record<string, string>) => string>} */
    const sentences = this.messages.refusals;
    return sentences[problem.reason]?.(problem.metadata) ?? (problem.message || this.messages.shell.failed);
  }
}

/** @param {Language} language */
export async function wordsIn(language) {
  return new Words(language, (await FILES[language]()).default);
}
