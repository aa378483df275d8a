/** The cups are lifted: what lay under them follows from the links, and the dice that were shown had lain there. */

/** @import {Game} from "./game.js" */
/** @import {Round, RoundDeal} from "./round.js" */
import { checkOpening } from "./commitments.js";
import { expectFields } from "./course.js";
import { handOf, keyOf } from "./deals.js";
import { need } from "./failure.js";

/** @typedef {{face: number, shown: boolean}} CupDie a die in the end, and whether it was shown before the cups were lifted */
/** @typedef {{server_link: string, hands: number[][], reroll_of: number | null}} RevealedDeal */

/** The dice of each seat in the end. @param {Game} game @param {Round} round @returns {CupDie[][]} */
export function liftedCups(game, round) {
  const event = game.course.take("cups-lifted");
  /** @type {RevealedDeal[]} */
  const revealed = event.fields.deals;
  need(revealed.length === round.deals.length, "links", "wrong-number-of-deals", { expected: round.deals.length, found: revealed.length });
  const pairs = round.deals.map((made, index) => ({ made, revealed: /** @type {RevealedDeal} */ (revealed[index]) }));
  for (const { made, revealed } of pairs) checkOpening(made.event, secretOf(made, revealed));
  const keys = pairs.map(({ made, revealed }) => keyOf(made.deal, game.chains.revealedByServer(revealed.server_link, made.deal.number)));
  pairs.forEach(({ made, revealed }, index) => checkDice(game, round, made, revealed, keys[index] ?? new Uint8Array()));
  const cups = cupsInTheEnd(round, pairs);
  expectFields(event, { dice: cups.map((cup) => cup.map(({ face }) => face)) }, "dice");
  return cups;
}

/** The secret part of an event as the reveal has it. @param {RoundDeal} made @param {RevealedDeal} revealed */
function secretOf({ rerollOf }, { hands, server_link }) {
  return rerollOf === null ? { server_link, hands } : { server_link, hand: hands[0] ?? null };
}

/** @param {Game} game @param {Round} round @param {RoundDeal} made @param {RevealedDeal} revealed @param {Uint8Array<ArrayBuffer>} key */
function checkDice(game, { counts }, { event, rerollOf }, revealed, key) {
  const made = rerollOf === null ? counts.map((count, seat) => handOf(key, seat, count)) : [handOf(key, rerollOf, event.fields.rerolled)];
  need(revealed.reroll_of === rerollOf, "dice", "another-reroll", { at: event.version });
  need(JSON.stringify(revealed.hands) === JSON.stringify(made), "dice", "another-die", { at: event.version });
  game.diceProven += made.flat().length;
}

/** The shown dice first, in the order they were shown, then the hidden ones.
 * @param {Round} round @param {{made: RoundDeal, revealed: RevealedDeal}[]} pairs @returns {CupDie[][]} */
function cupsInTheEnd({ counts }, pairs) {
  const shown = counts.map(() => /** @type {number[]} */ ([]));
  const hidden = counts.map((_, seat) => pairs[0]?.revealed.hands[seat] ?? []);
  for (const { made, revealed } of pairs.slice(1)) {
    const seat = made.rerollOf ?? 0;
    checkShown(hidden[seat] ?? [], made.event.fields.shown, seat);
    shown[seat]?.push(...made.event.fields.shown);
    hidden[seat] = revealed.hands[0] ?? [];
  }
  return counts.map((_, seat) => [
    ...(shown[seat] ?? []).map((face) => ({ face, shown: true })),
    ...(hidden[seat] ?? []).map((face) => ({ face, shown: false })),
  ]);
}

/** Dice can be shown only if they lie under the cup (BT-19). @param {number[]} hidden @param {number[]} shown @param {number} seat */
function checkShown(hidden, shown, seat) {
  const left = [...hidden];
  for (const face of shown) {
    const at = left.indexOf(face);
    need(at >= 0, "bids", "shown-die-was-not-there", { seat, face });
    left.splice(at, 1);
  }
}
