/** Sentences for people, made from the keys and values of a report and the words of a language. */

/** @import {Values} from "./failure.js" */

/** Forms by `Intl.PluralRules`, chosen by the value `count`; `other` is there in every language.
 * @typedef {{other: string} & Partial<Record<Intl.LDMLPluralRule, string>>} Forms */
/** @typedef {{language: string, sentences: Record<string, string | Forms>}} Words what a file such as `words.en.js` has */

/** The sentence of a key, with the values in its blanks; the key itself if the language has no sentence for it.
 * @param {Words} words @param {string} key @param {Values} [values] @returns {string} */
export function sentence({ language, sentences }, key, values = {}) {
  const found = Object.hasOwn(sentences, key) ? sentences[key] : undefined;
  if (found === undefined) return key;
  const form = typeof found === "string" ? found : (found[new Intl.PluralRules(language).select(Number(values.count ?? 0))] ?? found.other);
  return form.replaceAll(/\{(\w+)\}/g, (blank, name) => (Object.hasOwn(values, name) ? String(values[name]) : blank));
}
