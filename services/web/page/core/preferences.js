/** What the reader prefers. It is kept in the browser, and nothing of it leaves the browser. */

/** @typedef {"en" | "de" | "es"} Language */
/** @typedef {{language: Language, theme: "auto" | "light" | "dark", sound: boolean, odds: boolean, name: string}} Preferences */

const KEY = "liarsdice.preferences";
/** @type {Language[]} */
export const LANGUAGES = ["en", "de", "es"];

/** @returns {Preferences} */
export function keptPreferences() {
  /** @type {Preferences} */
  const usual = { language: languageOfBrowser(), theme: "auto", sound: false, odds: false, name: "" };
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return usual; // The browser keeps nothing for us, or something else was kept there.
  }
}

/** @param {Preferences} preferences */
export function keep(preferences) {
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences));
  } catch {
    // Then they hold until the page is closed.
  }
}

/** @returns {Language} */
function languageOfBrowser() {
  const wanted = navigator.languages.map((one) => one.slice(0, 2));
  return LANGUAGES.find((one) => one === wanted.find((other) => LANGUAGES.some((known) => known === other))) ?? "en";
}

/** Whether the reader wants no motion. */
export function prefersStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
