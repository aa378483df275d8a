/** A whole game, from its first event on. */

/** @import {Update} from "./messages/types.js" */
/** @import {Connection} from "./transport/connection.js" */
import { many } from "./messages/decode.js";
import { eventOf } from "./messages/events.js";
import { gameOf } from "./messages/games.js";
import { StreamBroken, failureOf } from "./transport/refusal.js";

const readEvents = many(eventOf);

/** How a game stands, and all that has happened in it. @param {Connection} connection @param {string} gameId @returns {Promise<Update>} */
export async function wholeGame(connection, gameId, code = "") {
  const request = { gameId, invitationCode: code, afterVersion: "0", includeGame: true };
  return connection.retry().call(async (secondsLeft) => {
    const seconds = Math.min(connection.patience.trySeconds, secondsLeft);
    try {
      const stream = await connection.open("GameService", "WatchGame", request, seconds);
      try {
        for (;;) {
          const message = await stream.next();
          if (message === null) throw new StreamBroken("the stream ended before it began");
          if (message.update !== undefined) return updateOf(message.update);
        }
      } finally {
        stream.cancel();
      }
    } catch (error) {
      throw failureOf(error) ?? error;
    }
  });
}

/** What happened, from the wire. @param {any} message @returns {Update} */
export function updateOf(message) {
  const events = readEvents(message?.events);
  return { game: gameOf(message?.game), events, came: null, rematchId: null, proven: null };
}
