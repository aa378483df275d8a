/** What happened at a step, in a sentence. */

import { faceName } from "../dice/die.js";

/** @import {Words} from "../words/words.js" */
/** @import {Recording} from "./recording.js" */
/** @import {HappenedEvent} from "./types.js" */

/** The name of a book in the reader's language. @param {{id: string, title: string}} book @param {Words} words */
export function bookTitle(book, words) {
  /** @type {Record<string, {title: string} | undefined>} */
  const books = words.messages.books;
  return books[book.id]?.title ?? book.title;
}

/** @param {{quantity: number, face: number}} bid @param {string} wild @param {Words} words */
export function bidText({ quantity, face }, wild, words) {
  return words.messages.replay.bid({ quantity, face: faceName(face, wild, words) });
}

/** @param {Recording} recording @param {number} version @param {Words} words */
export function sentenceOf(recording, version, words) {
  const step = recording.step(version);
  const players = recording.states[version]?.players ?? [];
  if (step === null) return words.messages.replay.happened.nothing;
  return SENTENCES[step.event.type]?.(step.event, { recording, words, name: (seat) => players[seat]?.name ?? "" }) ?? step.event.type;
}

/** @typedef {{recording: Recording, words: Words, name: (seat: number) => string}} Told */

/** @type {Record<string, (event: HappenedEvent, told: Told) => string>} */
const SENTENCES = {
  game_created: ({ seats }, { words, recording }) => words.messages.replay.happened.game_created({ seats, book: bookTitle(recording.book, words) }),
  player_joined: ({ name }, { words }) => words.messages.replay.happened.player_joined({ name }),
  player_left: (_, { words }) => words.messages.replay.happened.player_left,
  game_started: ({ dice_each }, { words }) => words.messages.replay.happened.game_started({ dice: dice_each }),
  roll_called: (_, { words }) => words.messages.replay.happened.roll_called,
  rolled: ({ seat }, { words, name }) => words.messages.replay.happened.rolled({ name: name(seat) }),
  opening_dice_rolled: openingDice,
  opener_chosen: ({ seat }, { words, name }) => words.messages.replay.happened.opener_chosen({ name: name(seat) }),
  round_started: ({ number, opener }, { words, name }) => words.messages.replay.happened.round_started({ number, name: name(opener) }),
  antes_paid: (_, { words }) => words.messages.replay.happened.antes_paid,
  dice_dealt: (_, { words }) => words.messages.replay.happened.dice_dealt,
  bid_placed: ({ seat, quantity, face }, told) => told.words.messages.replay.happened.bid_placed({ name: told.name(seat), bid: written({ quantity, face }, told) }),
  dice_rerolled: rerolled,
  bid_challenged: ({ seat, bid }, told) => told.words.messages.replay.happened.bid_challenged({ name: told.name(seat), bid: written(bid, told) }),
  cups_lifted: (_, { words }) => words.messages.replay.happened.cups_lifted,
  challenge_resolved: resolved,
  dice_lost: ({ seat, lost }, { words, name }) => words.messages.replay.happened.dice_lost({ name: name(seat), count: lost }),
  players_eliminated: ({ seats }, { words, name }) => words.messages.replay.happened.players_eliminated({ names: words.list(seats.map(name)), many: seats.length > 1 }),
  pot_won: ({ seat, chips }, { words, name }) => words.messages.replay.happened.pot_won({ name: name(seat), count: chips }),
  player_forfeited: ({ seat, reason }, { words, name }) => words.messages.replay.happened[reason === "time" ? "out_of_time" : "player_forfeited"]({ name: name(seat) }),
  turn_timed_out: ({ seat }, { words, name }) => words.messages.replay.happened.turn_timed_out({ name: name(seat) }),
  round_ended: ({ number }, { words }) => words.messages.replay.happened.round_ended({ number }),
  game_ended: ({ winner }, { words, name }) => words.messages.replay.happened.game_ended({ name: name(winner) }),
  game_abandoned: (_, { words }) => words.messages.replay.happened.game_abandoned,
};

/** @param {{quantity: number, face: number}} bid @param {Told} told */
function written(bid, { words, recording }) {
  return bidText(bid, recording.book.wild_name, words);
}

/** @param {HappenedEvent} event @param {Told} told */
function openingDice({ rolls }, { words, name }) {
  const { happened } = words.messages.replay;
  if (rolls.length === 0) return happened.opening_drawn;
  const told = rolls.map((/** @type {{seat: number, dice: number[]}} */ roll) => `${name(roll.seat)} ${roll.dice.join(" ")}`);
  return happened.opening_dice_rolled({ rolls: words.list(told) });
}

/** @param {HappenedEvent} event @param {Told} told */
function rerolled({ seat, shown, rerolled: count }, { words, name, recording }) {
  const faces = shown.map((/** @type {number} */ face) => faceName(face, recording.book.wild_name, words)).join(" ");
  return words.messages.replay.happened.dice_rerolled({ name: name(seat), shown: faces, count });
}

/** @param {HappenedEvent} event @param {Told} told */
function resolved({ bid, actual, winner, challenger }, told) {
  const { happened } = told.words.messages.replay;
  const result = { bid: written(bid, told), actual, name: told.name(winner) };
  return winner === challenger ? happened.challenge_failed(result) : happened.challenge_held(result);
}
