/** The table before the start: what its book allows, who joins and who leaves. */

/** @import {BundledEvent} from "./bundle.js" */
/** @import {Book} from "./books.js" */
/** @import {Course} from "./course.js" */
/** @import {Game, Options, Player} from "./game.js" */
import { bookOf, chainLength } from "./books.js";
import { decoded } from "./bytes.js";
import { Chains } from "./chains.js";
import { Chips, CHIPS_EACH } from "./chips.js";
import { expectFields } from "./course.js";
import { isGoodKey } from "./curve.js";
import { Deals } from "./deals.js";
import { need } from "./failure.js";
import { abandon } from "./game.js";

const DICE_EACH_MAX = 10;
/** A week. */
const TURN_SECONDS_MAX = 604_800;
const DERIVATION = 1;

/** The game when its table is closed to joiners, or when it was abandoned before. @param {Course} course @param {string} gameId @returns {Game} */
export function seatedGame(course, gameId) {
  const created = course.take("game-created");
  const { fairness, options, rulebook, rulebook_version: version, seats } = created.fields;
  expectFields(created, { game_id: gameId }, "outcome");
  const book = bookOf(rulebook, version);
  need(book !== null, "outcome", "no-such-book", { rulebook, version });
  need(seats >= book.playersMin && seats <= book.playersMax, "outcome", "no-such-table", { seats }); // BT-1, SH-1, PI-1, PT-1, R1
  checkOptions(book, options, seats);
  const length = chainLength(book, seats, options.dice_each);
  expectFields(created, { fairness: { version: DERIVATION, chain_length: length, server_anchor: fairness.server_anchor } }, "outcome");
  /** @type {Player[]} */
  const players = [];
  course.signers = players;
  const isStarted = followJoining(course, players, seats, fairness.server_anchor);
  const anchors = players.map(({ anchor }) => decoded(anchor));
  const game = {
    ...{ course, rulebook, book, options, players, diceProven: 0, clockStart: 0, timeOuts: [], out: [], rounds: [], places: null, abandoned: null },
    dice: players.map(() => options.dice_each),
    chips: options.chips ? new Chips(players.length) : null,
    chains: new Chains(gameId, length, decoded(fairness.server_anchor), anchors),
    deals: new Deals(gameId, decoded(fairness.server_anchor), anchors),
  };
  if (isStarted) start(game);
  else abandon(game);
  return game;
}

/** @param {Book} book @param {Options} options @param {number} seats */
function checkOptions(book, options, seats) {
  const { chips, dice_each: diceEach, opener, raise_rule: raiseRule, turn_seconds: turnSeconds, wild_aces: wildAces } = options;
  need(diceEach >= 1 && diceEach <= DICE_EACH_MAX, "outcome", "no-such-option", { name: "dice_each" }); // R13
  need(!chips || book.rerolls, "outcome", "no-such-option", { name: "chips" }); // BT-20
  need(!wildAces || book.wild === "option", "outcome", "no-such-option", { name: "wild_aces" }); // SH-14
  need(raiseRule === "quantity_or_face" || book.wild === "option", "outcome", "no-such-option", { name: "raise_rule" }); // SH-9, SH-11
  need(opener === null || (book.opening === "named" && opener < seats), "outcome", "no-such-option", { name: "opener" }); // R2
  need(turnSeconds !== null || options.on_timeout === "forfeit", "outcome", "no-such-option", { name: "on_timeout" }); // R15
  need(turnSeconds === null || (turnSeconds >= 1 && turnSeconds <= TURN_SECONDS_MAX), "outcome", "no-such-option", { name: "turn_seconds" });
}

/** Whether the game starts after all have joined.
 * @param {Course} course @param {Player[]} players @param {number} seats @param {string} serverAnchor */
function followJoining(course, players, seats, serverAnchor) {
  for (;;) {
    if (course.next === "player-joined") {
      join(course.take("player-joined"), players, seats, serverAnchor);
    } else if (course.next === "player-left") {
      const { seat } = course.take("player-left").fields;
      need(seat < players.length, "outcome", "nobody-sits-there", { seat });
      players.splice(seat, 1); // R16
    } else {
      const isStarted = course.next === "game-started";
      if (!isStarted && course.next !== "game-abandoned") course.take("player-joined", "player-left", "game-started", "game-abandoned");
      return isStarted;
    }
  }
}

/** @param {BundledEvent} joined @param {Player[]} players @param {number} seats @param {string} serverAnchor */
function join(joined, players, seats, serverAnchor) {
  const { anchor, chain_held_by: chainHeldBy, kind, name, player_id: playerId, signing_key: signingKey } = joined.fields;
  need(!signingKey || isGoodKey(decoded(signingKey)), "signatures", "no-signing-key", { seat: players.length });
  need(anchor !== serverAnchor && players.every((player) => player.anchor !== anchor), "links", "shared-anchor");
  need(players.length < seats, "outcome", "table-is-full");
  need(players.every((player) => player.playerId !== playerId), "outcome", "sits-here-already");
  expectFields(joined, { seat: players.length }, "outcome");
  need(!signingKey || chainHeldBy === "player", "outcome", "signs-without-chain", { seat: players.length });
  players.push({ anchor, chainHeldBy, kind, name, playerId, signingKey: signingKey ? decoded(signingKey) : null });
}

/** @param {Game} game */
function start({ book, course, options, players }) {
  const started = course.take("game-started");
  need(players.length >= book.playersMin, "outcome", "too-few-players");
  expectFields(started, { dice_each: options.dice_each, chips_each: options.chips ? CHIPS_EACH : null }, "outcome");
}
