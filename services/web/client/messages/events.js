/** The shapes of the events of a game. */

/** @import {GameEvent} from "./types.js" */
/** @import {Read} from "./decode.js" */
import { bytes, flag, hand, listIn, many, maybe, message, named, text, time, whole } from "./decode.js";
import { OPTIONS, PLACED_BID } from "./parts.js";

/** The events by their fields in `GameEvent`. @type {Record<string, Read>} */
const EVENTS = {
  gameCreated: message({
    gameId: text,
    rulebook: text,
    rulebookVersion: whole,
    options: OPTIONS,
    seats: whole,
    fairness: message({ version: whole, chainLength: whole, serverAnchor: bytes }),
  }),
  playerJoined: message({
    seat: whole,
    playerId: text,
    name: text,
    kind: named("KIND"),
    anchor: bytes,
    chainHeldBy: named("CHAIN_HELD_BY"),
    signingKey: maybe(bytes),
  }),
  playerLeft: message({ seat: whole }),
  gameStarted: message({ diceEach: whole, chipsEach: maybe(whole) }),
  rollCalled: message({ seats: many(whole), call: whole, calls: whole }),
  rolled: message({ seat: whole, link: bytes }),
  openingDiceRolled: message({ serverLink: bytes, rolls: many(message({ seat: whole, dice: many(whole) })) }),
  openerChosen: message({ seat: whole, how: named("OPENER_FOUND") }),
  roundStarted: message({ number: whole, opener: whole, palafico: flag, diceCounts: many(whole) }),
  antesPaid: message({ antes: many(message({ seat: whole, roundPot: whole, gamePot: whole })) }),
  diceDealt: message({ serverLink: maybe(bytes), hands: many(hand) }),
  bidPlaced: PLACED_BID,
  diceRerolled: message({
    seat: whole,
    shown: many(whole),
    rerolled: whole,
    link: bytes,
    serverLink: maybe(bytes),
    hand,
  }),
  bidChallenged: message({ seat: whole, bid: maybe(PLACED_BID) }),
  cupsLifted: message({
    deals: many(message({ serverLink: bytes, hands: many(hand), rerollOf: maybe(whole) })),
    dice: many(hand),
  }),
  challengeResolved: message({
    bid: maybe(PLACED_BID),
    challenger: whole,
    actual: whole,
    counts: many(message({ seat: whole, natural: whole, wild: whole })),
    winner: whole,
  }),
  diceLost: message({ seat: whole, penalty: whole, lost: whole }),
  playersEliminated: message({ seats: many(whole), place: whole }),
  potWon: message({ seat: whole, pot: named("POT"), chips: whole }),
  playerForfeited: message({ seat: whole, reason: named("FORFEIT_REASON"), lost: whole }),
  turnTimedOut: message({ seat: whole }),
  roundEnded: message({ number: whole }),
  gameEnded: message({ winner: whole, places: many(listIn("seats")), chips: maybe(listIn("bySeat")) }),
  gameAbandoned: message({ reason: text }),
};

const FRAME = message({ version: whole, at: time });

/** An event from the wire. @param {unknown} raw @returns {GameEvent} */
export function eventOf(raw) {
  const frame = FRAME(raw);
  const fields = /** @type {Record<string, unknown>} */ (raw ?? {});
  for (const [name, read] of Object.entries(EVENTS)) {
    if (fields[name] !== undefined) return { ...frame, type: typeOf(name), ...read(fields[name]) };
  }
  return { ...frame, type: "Unknown" };
}

/** The name of an event: `BidPlaced` for the field `bidPlaced`. @param {string} field */
function typeOf(field) {
  return field.charAt(0).toUpperCase() + field.slice(1);
}
