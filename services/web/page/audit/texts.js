/** What the parts of audit that also work without a server speak with. */

import { sentence } from "../verifier/sentence.js";

/** @import {Words as Sentences} from "../verifier/sentence.js" */
/** @import {Values} from "../verifier/failure.js" */
/** @import {Words} from "../words/words.js" */

/**
 * @typedef {object} Texts
 * @property {string} language
 * @property {(key: string, values?: Values) => string} say the sentence of a key
 * @property {(key: string) => boolean} has whether there is such a sentence
 * @property {(names: string[]) => string} list
 * @property {(milliseconds: number) => string} day
 * @property {Words} words what dice are called
 */

/** @param {Sentences} sentences @returns {Texts} */
export function textsOf(sentences) {
  const { language } = sentences;
  const lists = new Intl.ListFormat(language, { type: "conjunction" });
  const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
  /** @type {Texts["say"]} */
  const say = (key, values) => sentence(sentences, key, values);
  return {
    ...{ language, say, has: (key) => Object.hasOwn(sentences.sentences, key) },
    ...{ list: (names) => lists.format(names), day: (milliseconds) => days.format(milliseconds) },
    words: diceWords(say),
  };
}

/** The words that pictures of dice need, also where there are no others. @param {Texts["say"]} say @returns {Words} */
function diceWords(say) {
  const wild = Object.fromEntries(["star", "skull", "wheel", "ace"].map((name) => [name, say(`wild.${name}`)]));
  const dice = { wild, face: (/** @type {{face: number}} */ { face }) => String(face), hidden: "" };
  return /** @type {Words} */ (/** @type {unknown} */ ({ messages: { dice } }));
}
