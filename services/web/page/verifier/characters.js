/**
 * The characters that texts in a bundle may have (`audit-format.md`, "Characters").
 *
 * The ranges are fixed: which characters a browser's Unicode version knows makes no difference.
 */

/** The first and the last character of each range that no text may have. @type {readonly (readonly [number, number])[]} */
export const UNSHOWN = [
  [0x0000, 0x001f], // Control characters.
  [0x007f, 0x00a0], // More of them, and the space that does not break.
  [0x00ad, 0x00ad],
  [0x0600, 0x0605],
  [0x061c, 0x061c],
  [0x06dd, 0x06dd],
  [0x070f, 0x070f],
  [0x0890, 0x0891],
  [0x08e2, 0x08e2],
  [0x1680, 0x1680],
  [0x180e, 0x180e],
  [0x2000, 0x200c], // Spaces; U+200D, which joins emoji, is allowed.
  [0x200e, 0x200f],
  [0x2028, 0x202f], // Line ends, and characters that turn the direction of writing.
  [0x205f, 0x206f],
  [0x3000, 0x3000],
  [0xd800, 0xf8ff], // Halves of surrogate pairs, and private use.
  [0xfdd0, 0xfdef],
  [0xfeff, 0xfeff],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
  [0x110bd, 0x110bd],
  [0x110cd, 0x110cd],
  [0x13430, 0x1343f],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0x1fffe, 0x1ffff],
  [0x2fffe, 0x2ffff],
  [0x3fffe, 0xe00ff],
  [0xe01f0, 0x10ffff],
];

/** @param {number} character */
const escaped = (character) => `\\u{${character.toString(16)}}`;
const ANY_UNSHOWN = new RegExp(`[${UNSHOWN.map(([first, last]) => `${escaped(first)}-${escaped(last)}`).join("")}]`, "u");

/** Whether a text has only characters that are allowed. The space is one of them, a line feed is not. @param {string} text */
export function isShown(text) {
  return !ANY_UNSHOWN.test(text);
}

/** How many characters a text has. An emoji may be one, or several that are joined. @param {string} text */
export function lengthOf(text) {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
