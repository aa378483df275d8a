/** The first opener: named, drawn, or found by a roll. */

/** @import {Game, Opening} from "./game.js" */
/** @import {Rolls} from "./rolls.js" */
import { WILD_FACE } from "./books.js";
import { expectFields } from "./course.js";
import { drawn, handOf, keyOf } from "./deals.js";
import { need } from "./failure.js";
import { followForfeit, timedOutSeat } from "./forfeits.js";
import { abandon, inPlay, leftOf } from "./game.js";
import { followRolls } from "./rolls.js";

/** How the first round opens; null if there is none. @param {Game} game @returns {Opening | null} */
export function firstOpening(game) {
  const { book, course, options } = game;
  if (book.opening === "named" && (course.next === "opener-chosen" || options.opener !== null)) return named(game);
  let called = inPlay(game);
  for (;;) {
    const rolls = followRolls(game, called, 1);
    if (rolls.waiting.length > 0) return cutShort(game, rolls);
    const best = openedBy(game, rolls);
    if (best.length === 1) return chosen(game, best[0] ?? 0, book.opening === "named" ? "drawn" : "rolled");
    called = best; // R3, R4
  }
}

/** A seat was named, at the start or else at creation (R2). The server's word is that somebody named it at the start. @param {Game} game */
function named(game) {
  const event = game.course.take("opener-chosen");
  const { seat } = event.fields;
  need(seat < game.players.length, "outcome", "nobody-sits-there", { seat });
  expectFields(event, { how: "named" }, "outcome");
  return { opener: seat, palafico: false };
}

/** @param {Game} game @param {number} seat @param {"drawn" | "rolled"} how */
function chosen(game, seat, how) {
  expectFields(game.course.take("opener-chosen"), { seat, how }, "outcome");
  return { opener: seat, palafico: false };
}

/** The seats that may open by a roll or a draw; more than one if they tie. @param {Game} game @param {Rolls} rolls @returns {number[]} */
function openedBy(game, { call, links }) {
  const event = game.course.take("opening-dice-rolled");
  const key = keyOf(game.deals.next(call, links), game.chains.revealedByServer(event.fields.server_link, call));
  const seats = links.map(([seat]) => seat);
  if (game.book.opening === "named") {
    expectFields(event, { rolls: [] }, "dice");
    return [drawn(key, seats)];
  }
  const count = game.book.opening === "one-die" ? 1 : game.options.dice_each; // PI-2, PT-2
  const rolled = seats.map((seat) => ({ seat, dice: handOf(key, seat, count) }));
  expectFields(event, { rolls: rolled }, "dice");
  game.diceProven += count * seats.length;
  const ranks = rolled.map(({ dice }) => (game.book.opening === "one-die" ? (dice[0] ?? 0) : wildsThenSum(dice)));
  const highest = Math.max(...ranks);
  return seats.filter((_, index) => ranks[index] === highest);
}

/** Most wheels, then the highest sum of the other dice, as one number. @param {number[]} dice */
function wildsThenSum(dice) {
  const others = dice.filter((face) => face !== WILD_FACE);
  return (dice.length - others.length) * 1000 + others.reduce((sum, face) => sum + face, 0);
}

/** A forfeit lets the player to the left open (R14); the end of the game lets nobody.
 * @param {Game} game @param {Rolls} rolls @returns {Opening | null} */
function cutShort(game, { waiting }) {
  if (game.course.next === "game-abandoned") {
    abandon(game);
    return null;
  }
  const { seat } = followForfeit(game, timedOutSeat(game, waiting));
  return inPlay(game).length > 1 ? { opener: leftOf(game, seat), palafico: false } : null;
}
