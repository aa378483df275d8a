/** The check of a game by somebody who keeps no chain in it. */

/** @import {Findings, GameEvent} from "../messages/types.js" */
import { FalseServer } from "../transport/refusal.js";
import { Contradiction, expect } from "./contradiction.js";
import { Course } from "./course.js";
import { Proof } from "./proof.js";

/** What the events of a game, from the first one on, prove about its dice; throws FalseServer if something does not hold.
 * @param {string} gameId @param {GameEvent[]} events @returns {Promise<Findings>} */
export async function provenBy(gameId, events) {
  const course = new Course();
  const proof = new Proof(course);
  for (const event of events) {
    try {
      course.follow(event);
      await proof.follow(event);
      expect(course.created.gameId === gameId, "It sends events of another game.");
    } catch (error) {
      throw error instanceof Contradiction ? new FalseServer(gameId, `event ${event.version}, ${error.message}`) : error;
    }
  }
  return proof.findings();
}
