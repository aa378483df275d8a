/** Chips and pots of the bidding track (BT-20, R8, R12). */

/** @import {Course} from "./course.js" */
import { expectFields } from "./course.js";

export const CHIPS_EACH = 50;

export class Chips {
  /** @type {number[]} */
  bySeat;
  #roundPot = 0;
  #gamePot = 0;

  /** @param {number} seats */
  constructor(seats) {
    this.bySeat = Array.from({ length: seats }, () => CHIPS_EACH);
  }

  /** Everyone in the game pays one chip to each pot, or what is left, to the round's pot first. @param {Course} course @param {number[]} seats */
  payAntes(course, seats) {
    const antes = seats.map((seat) => {
      const round = this.#paid(seat);
      return { seat, round_pot: round, game_pot: this.#paid(seat) };
    });
    expectFields(course.take("antes-paid"), { antes }, "outcome");
    for (const { game_pot: game, round_pot: round } of antes) {
      this.#roundPot += round;
      this.#gamePot += game;
    }
  }

  /** The winner of a challenge takes the round's pot, if anybody could pay into it. @param {Course} course @param {number} seat @returns {number} how many chips */
  winRound(course, seat) {
    const chips = this.#roundPot;
    this.#roundPot = 0;
    return this.#won(course, seat, "round", chips);
  }

  /** The winner of the game takes what is left in both pots. @param {Course} course @param {number} seat */
  winGame(course, seat) {
    this.winRound(course, seat);
    const chips = this.#gamePot;
    this.#gamePot = 0;
    this.#won(course, seat, "game", chips);
  }

  /** @param {number} seat */
  #paid(seat) {
    const left = this.bySeat[seat] ?? 0;
    this.bySeat[seat] = Math.max(left - 1, 0);
    return Math.min(left, 1);
  }

  /** @param {Course} course @param {number} seat @param {"round" | "game"} pot @param {number} chips */
  #won(course, seat, pot, chips) {
    if (chips === 0) return chips;
    this.bySeat[seat] = (this.bySeat[seat] ?? 0) + chips;
    expectFields(course.take("pot-won"), { seat, pot, chips }, "outcome");
    return chips;
  }
}
