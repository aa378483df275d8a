/** What happened, in the words of the table. */

import { faceName } from "../dice/die.js";

/** @import {Bid, GameEvent, GameView} from "../../client/messages/types.js" */
/** @import {Words} from "../words/words.js" */

/** A bid as a text. @param {Bid} bid @param {Words} words @param {GameView} view */
export function bidText({ quantity, face }, words, view) {
  return words.messages.table.bid({ quantity, face: faceName(face, view.wildName, words) });
}

/** @param {GameView} view @param {number} seat */
export function nameOf(view, seat) {
  return view.seats[seat]?.name ?? `#${seat + 1}`;
}

/** @typedef {{event: any, view: GameView, words: Words, name: (seat: number) => string, bid: (bid: Bid) => string, say: Words["messages"]["table"]["happened"]}} Told */

/** How each kind of event is told. What is missing here is not worth a line. @type {Record<string, (told: Told) => string | null>} */
const SENTENCES = {
  PlayerJoined: ({ event, say }) => say.joined({ name: event.name }),
  PlayerLeft: ({ say }) => say.left,
  GameStarted: ({ say }) => say.started,
  OpeningDiceRolled: ({ event, name, say, view, words }) => event.rolls.length === 0 ? null : say.openingRolls({
    rolls: event.rolls.map((/** @type {{seat: number, dice: number[]}} */ { seat, dice }) => `${name(seat)} ${dice.map((die) => faceName(die, view.wildName, words)).join(" ")}`).join(", "),
  }),
  OpenerChosen: ({ event, name, say }) => say.opener({ name: name(event.seat) }),
  RoundStarted: ({ event, name, say }) => (event.palafico ? say.palafico : say.round)({ number: event.number, name: name(event.opener) }),
  DiceDealt: ({ say }) => say.dealt,
  BidPlaced: ({ event, name, bid, say }) => say.bid({ name: name(event.seat), bid: bid(event) }),
  DiceRerolled: ({ event, name, say, view, words }) => say.rerolled({
    name: name(event.seat), shown: event.shown.map((/** @type {number} */ die) => faceName(die, view.wildName, words)).join(" "), rerolled: event.rerolled,
  }),
  BidChallenged: ({ event, name, bid, say }) => event.bid && say.challenged({ name: name(event.seat), bidder: name(event.bid.seat), bid: bid(event.bid) }),
  ChallengeResolved: ({ event, bid, say }) => event.bid && (event.actual >= event.bid.quantity ? say.holds : say.fails)({ bid: bid(event.bid), actual: event.actual }),
  DiceLost: ({ event, name, say }) => say.lost({ name: name(event.seat), count: event.lost }),
  PlayersEliminated: ({ event, name, say, words }) => say.out({ names: words.list(event.seats.map(name)), count: event.seats.length }),
  PotWon: ({ event, name, say }) => say.pot({ name: name(event.seat), chips: event.chips, whole: event.pot === "game" }),
  PlayerForfeited: ({ event, name, say }) => (event.reason === "time" ? say.forfeitedByTime : say.forfeited)({ name: name(event.seat) }),
  TurnTimedOut: ({ event, name, say }) => say.timedOut({ name: name(event.seat) }),
  GameEnded: ({ event, name, say }) => say.ended({ name: name(event.winner) }),
  GameAbandoned: ({ event, say }) => say.abandoned({ reason: event.reason }),
};

/** An event as a sentence; null if it is not worth one. @param {GameEvent} event @param {Words} words @param {GameView} view */
export function sentenceOf(event, words, view) {
  return SENTENCES[event.type]?.({
    event, view, words, say: words.messages.table.happened,
    name: (seat) => nameOf(view, seat), bid: (bid) => bidText(bid, words, view),
  }) ?? null;
}
