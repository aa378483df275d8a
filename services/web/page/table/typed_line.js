/** A typed line and what it means, as in the terminal: `3 5` bids three fives, `d` doubts, `s 5 5` shows two fives. */

import { WILD } from "./looks.js";

/** @typedef {"doubt" | "help" | "quit" | "forfeit" | "odds" | "look" | "start" | "bot" | "leave" | "roll" | "unclear"} Word */
/** @typedef {{kind: "bid", quantity: number, face: number, shown: number[]}} TypedBid */
/** @typedef {{kind: "show", shown: number[]}} TypedShow */
/** @typedef {{kind: "word", word: Word, rest: string}} TypedWord */
/** @typedef {TypedBid | TypedShow | TypedWord} Typed */

/** @type {Record<string, Word>} */
const WORDS = {
  "": "look", t: "look", table: "look",
  d: "doubt", doubt: "doubt", challenge: "doubt", liar: "doubt",
  "?": "help", h: "help", help: "help",
  q: "quit", quit: "quit", exit: "quit",
  f: "forfeit", forfeit: "forfeit",
  o: "odds", odds: "odds",
  start: "start", b: "bot", bot: "bot", leave: "leave",
  r: "roll", roll: "roll",
};
const BID = /^(?<quantity>\d{1,9})\s*(?:x|×|\s)\s*(?<face>[^\s]+)(?:\s+s\s*(?<shown>.+))?$/;
const SHOW = /^s(?:how)?\s*(?<shown>[^a-z].*)$/;

/** The meaning of a line at a table where face 1 has these names. @param {string} line @param {string[]} wildNames @returns {Typed} */
export function meaningOf(line, wildNames) {
  const text = line.toLowerCase().trim().replace(/\s+/g, " ");
  const [first = "", ...others] = text.split(" ");
  const [word, rest] = [WORDS[first], others.join(" ")];
  if (word !== undefined && (!rest || word === "bot")) return { kind: "word", word, rest };
  const bid = BID.exec(text)?.groups;
  if (bid) {
    const face = faceOf(bid.face ?? "", wildNames);
    const shown = bid.shown ? handOf(bid.shown, wildNames) : [];
    if (face !== null && shown !== null) return { kind: "bid", quantity: Number(bid.quantity), face, shown };
  }
  const shown = handOf(SHOW.exec(text)?.groups?.shown ?? "", wildNames);
  return shown?.length ? { kind: "show", shown } : { kind: "word", word: "unclear", rest: text };
}

/** A face by its number or by a name of the wild face. The server judges whether a die has it. @param {string} text @param {string[]} wildNames */
function faceOf(text, wildNames) {
  if (text === "*" || wildNames.some((name) => text === name || text === `${name}s`)) return WILD;
  return /^\d{1,9}s?$/.test(text) ? Number.parseInt(text, 10) : null;
}

/** Dice, with or without spaces between them. @param {string} text @param {string[]} wildNames @returns {number[] | null} */
function handOf(text, wildNames) {
  const named = wildNames.filter(Boolean).reduce((words, name) => words.replaceAll(name, "*"), text);
  const faces = [...named.replace(/[\s,]/g, "")].map((one) => faceOf(one, wildNames));
  return faces.every((face) => face !== null && face >= 1 && face <= 6) ? /** @type {number[]} */ (faces) : null;
}
