/** A challenge, told step by step: one cup after the other is lifted, then the dice that match are counted, then it is said who loses what. */

import { countsAs, isWild } from "./looks.js";

/** @import {DiceLost, GameEvent, GameView, Hand, PlacedBid} from "../../client/messages/types.js" */

/**
 * @typedef {object} Reveal
 * @property {PlacedBid} bid
 * @property {number} challenger
 * @property {boolean} wild whether face 1 counts towards the bid
 * @property {Hand[]} dice of each seat
 * @property {number[]} order in which the cups are lifted; the bidder's is the last
 * @property {number} actual
 * @property {DiceLost[]} losses
 * @property {number} lifted how many cups are lifted
 * @property {number} counted how many matching dice are counted
 * @property {boolean} told whether the result is told
 */
/** @typedef {{seat: number, index: number, how: "counted" | "wild"}} Match */

const LIFTING_MILLISECONDS = 1_200;
const COUNTING_MILLISECONDS = 1_300;
const TELLING_MILLISECONDS = 1_100;
const LIFT_MILLISECONDS_MAX = 380;
const COUNT_MILLISECONDS_MAX = 300;

/** The challenge among some events, before anything of it is shown; null if there is none. @param {GameEvent[]} events @param {GameView} before @returns {Reveal | null} */
export function revealIn(events, before) {
  const lifted = events.find((event) => event.type === "CupsLifted");
  const resolved = events.find((event) => event.type === "ChallengeResolved");
  if (lifted === undefined || resolved === undefined || resolved.bid === null) return null;
  const dice = lifted.dice.map((hand) => hand ?? []);
  const inPlay = dice.map((_, seat) => seat).filter((seat) => (dice[seat]?.length ?? 0) > 0);
  const first = inPlay.findIndex((seat) => seat > (resolved.bid?.seat ?? 0));
  const order = first < 0 ? inPlay : [...inPlay.slice(first), ...inPlay.slice(0, first)];
  const losses = events.filter((event) => event.type === "DiceLost");
  const { bid, challenger, actual } = resolved;
  return { bid, challenger, wild: isWild(before), dice, order, actual, losses, lifted: 0, counted: 0, told: false };
}

/** What is shown one after the other, and for how long. @param {Reveal} reveal @returns {{shown: Reveal, milliseconds: number}[]} */
export function stepsOf(reveal) {
  const cups = reveal.order.length;
  const lift = Math.min(LIFT_MILLISECONDS_MAX, LIFTING_MILLISECONDS / Math.max(1, cups));
  const count = Math.min(COUNT_MILLISECONDS_MAX, COUNTING_MILLISECONDS / Math.max(1, reveal.actual));
  const lifting = Array.from({ length: cups }, (_, index) => ({ shown: { ...reveal, lifted: index + 1 }, milliseconds: lift }));
  const counting = Array.from({ length: reveal.actual }, (_, index) => ({ shown: { ...reveal, lifted: cups, counted: index + 1 }, milliseconds: count }));
  return [...lifting, ...counting, { shown: { ...reveal, lifted: cups, counted: reveal.actual, told: true }, milliseconds: TELLING_MILLISECONDS }];
}

/** The dice that match the bid, in the order in which they are counted. @param {Reveal} reveal @returns {Match[]} */
export function matchesIn({ bid, dice, order, wild }) {
  return order.flatMap((seat) => (dice[seat] ?? []).flatMap((die, index) => {
    const how = countsAs(die, bid.face, wild);
    return how === null ? [] : [{ seat, index, how }];
  }));
}

/** Whether the cup of a seat is lifted already. @param {Reveal} reveal @param {number} seat */
export function isLifted({ order, lifted }, seat) {
  return order.slice(0, lifted).includes(seat);
}
