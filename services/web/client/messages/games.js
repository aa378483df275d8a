/** The shapes of the messages about tables and players. */

/** @import {Bytes} from "../bytes.js" */
/** @import {Done, Game, GameSummary, Player, Rulebook} from "./types.js" */
import { bytes, flag, hand, listIn, many, maybe, message, named, text, time, whole } from "./decode.js";
import { eventOf } from "./events.js";
import { OPTIONS, PLACED_BID } from "./parts.js";

const BID = message({ quantity: whole, face: whole });

const SEAT = message({
  seat: whole,
  playerId: text,
  name: text,
  kind: named("KIND"),
  chainHeldBy: named("CHAIN_HELD_BY"),
  diceCount: whole,
  hiddenCount: whole,
  hidden: hand,
  shown: many(whole),
  chips: maybe(whole),
  out: flag,
});

const SETTLEMENT = message({
  bid: maybe(PLACED_BID),
  challenger: whole,
  actual: whole,
  winner: whole,
  losses: many(message({ seat: whole, penalty: whole, lost: whole })),
});

const MOVES = message({
  leave: flag,
  start: flag,
  roll: flag,
  lowestBids: many(BID),
  challenge: flag,
  showMax: whole,
  showNow: flag,
  forfeit: flag,
});

const VIEW = message({
  viewer: maybe(whole),
  gameId: text,
  rulebook: text,
  rulebookVersion: whole,
  options: OPTIONS,
  wildName: text,
  phase: named("PHASE"),
  seats: many(SEAT),
  round: maybe(message({ number: whole, opener: whole, palafico: flag })),
  bids: many(PLACED_BID),
  waiting: many(whole),
  since: time,
  rerolled: flag,
  roundPot: whole,
  gamePot: whole,
  lastRound: maybe(message({ number: whole, dice: many(hand), settlement: maybe(SETTLEMENT) })),
  winner: maybe(whole),
  places: many(listIn("seats")),
  abandoned: maybe(text),
  moves: MOVES,
});

/** A table from the wire. @type {(raw: unknown) => Game} */
export const gameOf = message({
  view: VIEW,
  version: whole,
  ownerId: text,
  private: flag,
  invitationCode: text,
  seatsMax: whole,
  spectatorDelaySeconds: whole,
  connected: many(whole),
  due: time,
  linkNumber: whole,
  chainLength: whole,
  rematchOf: text,
  rematchId: text,
  digest: bytes,
  forkedFrom: text,
  forkedVersion: whole,
});

/** A table in a list. @type {(raw: unknown) => GameSummary} */
export const summaryOf = message({
  gameId: text,
  rulebook: text,
  phase: named("PHASE"),
  players: many(text),
  seatsMax: whole,
  created: time,
  ownerId: text,
  turnSeconds: maybe(whole),
  private: flag,
  forkedFrom: text,
});

/** A rulebook that the server offers. @type {(raw: unknown) => Rulebook} */
export const rulebookOf = message({
  id: text,
  version: whole,
  title: text,
  playersMin: whole,
  playersMax: whole,
  wildName: text,
  wild: flag,
  showAndReroll: flag,
  chips: flag,
  wildAces: flag,
  raiseRules: many(named("RAISE_RULE")),
  openerNamed: flag,
});

/** @type {(raw: unknown) => Player} */
export const playerOf = message({ playerId: text, name: text, scopes: many(named("SCOPE")) });

/** The receipt in an answer that has no result. @type {(raw: unknown) => {receipt: Bytes}} */
export const receiptIn = message({ receipt: bytes });

/** What a command did. @type {(raw: unknown) => Done} */
export const doneOf = message({ version: whole, events: many(eventOf), repeatedAnswer: flag, digest: bytes, receipt: bytes });
