/** A table that somebody is about to set up. */

import { FIRST_BOOK } from "../rules/books.js";

/** @import {Options, OnTimeout, RaiseRule, Rulebook} from "../../client/messages/types.js" */
/** @import {TableWishes} from "../../client/client.js" */

/** @typedef {"cautious" | "bluffing" | "calculating"} Temper */
/** @typedef {Temper | "person"} Opponent */

/**
 * @typedef {object} Draft
 * @property {string} book
 * @property {Opponent[]} opponents
 * @property {boolean} private
 * @property {number} delaySeconds how much later spectators see the game
 * @property {boolean} chips
 * @property {boolean} wildAces
 * @property {RaiseRule} raiseRule
 * @property {number} diceEach
 * @property {number | null} opener
 * @property {number | null} turnSeconds
 * @property {OnTimeout} onTimeout
 */

/** @type {Temper[]} */
export const TEMPERS = ["cautious", "bluffing", "calculating"];
export const DICE_EACH_MAX = 10;

/** @type {Draft} */
export const FIRST_DRAFT = {
  book: FIRST_BOOK,
  opponents: ["cautious", "bluffing"],
  private: false,
  delaySeconds: 0,
  chips: false,
  wildAces: false,
  raiseRule: "quantity_or_face",
  diceEach: 5,
  opener: null,
  turnSeconds: 60,
  // Nobody should lose a game because the phone rang.
  onTimeout: "lowest_bid",
};

/** A draft with no more seats than its book has. @param {Draft} draft @param {Rulebook} book @returns {Draft} */
export function fitting(draft, book) {
  const opponents = draft.opponents.slice(0, book.playersMax - 1);
  return { ...draft, book: book.id, opponents, opener: draft.opener !== null && draft.opener > opponents.length ? null : draft.opener };
}

/** Whether people are invited, so that the game can't begin at once. @param {Draft} draft */
export function waitsForPeople({ opponents }) {
  return opponents.includes("person");
}

/** @param {Draft} draft @returns {Temper[]} */
export function botsOf({ opponents }) {
  return opponents.filter((one) => one !== "person");
}

/** What the server is asked for: of the options only those that the book has. @param {Draft} draft @param {Rulebook} book @returns {TableWishes} */
export function wishesOf(draft, book) {
  /** @type {Partial<Options>} */
  const options = { diceEach: draft.diceEach };
  if (book.chips) options.chips = draft.chips;
  if (book.wildAces) options.wildAces = draft.wildAces;
  if (book.raiseRules.length > 0) options.raiseRule = draft.raiseRule;
  if (book.openerNamed && draft.opener !== null) options.opener = draft.opener;
  if (draft.turnSeconds !== null) Object.assign(options, { turnSeconds: draft.turnSeconds, onTimeout: draft.onTimeout });
  return { options, private: draft.private, seats: draft.opponents.length + 1, spectatorDelaySeconds: draft.delaySeconds };
}
