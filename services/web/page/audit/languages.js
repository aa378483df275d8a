/** The texts of audit in the reader's language, loaded when they are needed. */

import { textsOf } from "./texts.js";

/** @import {App} from "../core/page.js" */
/** @import {Words as Sentences} from "../verifier/sentence.js" */
/** @import {Language} from "../core/preferences.js" */
/** @import {Texts} from "./texts.js" */

/** @type {Record<Language, () => Promise<Sentences>>} */
const FILES = {
  en: async () => (await import("../verifier/words.en.js")).ENGLISH,
  de: async () => (await import("../verifier/words.de.js")).GERMAN,
  es: async () => (await import("../verifier/words.es.js")).SPANISH,
};
/** @type {Map<Language, Texts>} */
const loaded = new Map();

/** The texts in a language. @param {Language} language @returns {Promise<Texts>} */
export async function textsIn(language) {
  const texts = loaded.get(language) ?? textsOf(await FILES[language]());
  loaded.set(language, texts);
  return texts;
}

/** The texts in the reader's language if they are here. If not, the page is drawn again once they are.
 * @param {App<any>} app @returns {Texts | null} in another language, or null, until then */
export function textsFor(app) {
  const { language } = app.preferences;
  const texts = loaded.get(language);
  if (texts === undefined) textsIn(language).then(() => app.update({}), app.failed);
  return texts ?? loaded.values().next().value ?? null;
}
