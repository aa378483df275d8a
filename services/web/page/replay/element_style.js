/**
 * The page's styles, for an element on somebody else's page.
 *
 * All rules are nested below the tag of the element with the weight of two ids, so that they reach nothing else and win over whatever the
 * page says about buttons or classes of the same name. Before them stands one rule that takes back what the page says about
 * elements inside. It leaves out the parts of pictures, because it would also take back where they are.
 */

const FILES = ["tokens.css", "base.css", "parts.css", "dice.css", "replay.css"];

/** @type {Map<string, Promise<CSSStyleSheet>>} */
const sheets = new Map();

/** The styles below a tag, made once. @param {string} tag @returns {Promise<CSSStyleSheet>} */
export function scopedStyles(tag) {
  const known = sheets.get(tag) ?? made(tag);
  sheets.set(tag, known);
  return known;
}

/** @param {string} tag */
async function made(tag) {
  const texts = await Promise.all(FILES.map(async (name) => (await fetch(new URL(`../styles/${name}`, import.meta.url))).text()));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`${tag}:not(#_):not(#_) {
    & { display: block; }
    :where(:not(svg *)) { all: revert; }
    .replay-embed { all: initial; }
    ${texts.join("\n").replaceAll(":root", ".replay-embed")}
    .replay-embed { color: var(--ink); font: var(--size)/1.5 var(--text); }
  }`);
  return sheet;
}
