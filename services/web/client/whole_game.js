/** A whole game, from its first event on. */

/** @import {GameEvent, Update} from "./messages/types.js" */
/** @import {Connection} from "./transport/connection.js" */
/** @import {MessageStream} from "./transport/message_stream.js" */
import { many } from "./messages/decode.js";
import { eventOf } from "./messages/events.js";
import { gameOf } from "./messages/games.js";
import { StreamBroken, failureOf } from "./transport/refusal.js";

const readEvents = many(eventOf);

/** How a game stands, and all that has happened in it. @param {Connection} connection @param {string} gameId @returns {Promise<Update>} */
export async function wholeGame(connection, gameId, code = "") {
  // The events of a long game come in several updates, so the client has to know which is the last.
  const asked = { gameId, invitationCode: code };
  const { version } = gameOf((await connection.ask("GameService", "GetGame", asked)).game);
  const request = { ...asked, afterVersion: "0", includeGame: true };
  return connection.retry().call(async (secondsLeft) => {
    try {
      const seconds = Math.min(connection.patience.trySeconds, secondsLeft);
      return await readUpTo(version, await connection.open("GameService", "WatchGame", request, seconds));
    } catch (error) {
      throw failureOf(error) ?? error;
    }
  });
}

/** The updates of a stream up to a version, as one. @param {number} version @param {MessageStream} stream @returns {Promise<Update>} */
async function readUpTo(version, stream) {
  /** @type {GameEvent[]} */
  const events = [];
  try {
    for (;;) {
      const message = await stream.next();
      if (message === null) throw new StreamBroken("the stream ended too early");
      if (message.update === undefined) continue;
      const update = updateOf(message.update);
      events.push(...update.events);
      if ((events.at(-1)?.version ?? 0) >= version) return { ...update, events };
    }
  } finally {
    stream.cancel();
  }
}

/** What happened, from the wire. @param {any} message @returns {Update} */
export function updateOf(message) {
  const events = readEvents(message?.events);
  return { game: gameOf(message?.game), events, came: null, rematchId: null, proven: null };
}
