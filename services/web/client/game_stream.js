/** One game that is watched until it ends, however often the line breaks. */

/** @import {Update} from "./messages/types.js" */
/** @import {Connection} from "./transport/connection.js" */
/** @import {Cursor} from "./cursor.js" */
import { StreamBroken, failureOf } from "./transport/refusal.js";

/**
 * @typedef {object} Following
 * @property {(update: Update) => Promise<Update>} check every update goes through it
 * @property {() => Promise<void>} roll rolls if the game waits for it
 * @property {(connected: boolean) => void} [onConnection]
 * @property {AbortSignal} [signal] which ends it
 * @property {boolean} [pastEnd] whether to go on after the end of the game, to hear of a rematch
 */

export class GameStream {
  #connection;
  #cursor;
  #following;
  #retry;
  #connected = false;

  /** @param {Connection} connection @param {Cursor} cursor @param {Following} following */
  constructor(connection, cursor, following) {
    this.#connection = connection;
    this.#cursor = cursor;
    this.#following = following;
    // A person who watches a game waits for the server, however long it is away.
    this.#retry = connection.retry({ givesUp: false });
  }

  /** How the game stands and what happens, until it is over. @returns {AsyncGenerator<Update, void, void>} */
  async *updates() {
    const { check, pastEnd, roll, signal } = this.#following;
    while (!signal?.aborted) {
      try {
        for await (const update of this.#oneCall()) {
          yield await check(update);
          const ended = update.game.view.phase === "ended";
          if (ended && !pastEnd) return;
          if (!ended) await roll();
        }
      } catch (error) {
        if (signal?.aborted) return;
        const failure = failureOf(error);
        if (failure === null) throw error;
        if (!failure.resumable) throw failure;
        this.#reportConnection(false);
        await this.#retry.pause(failure, signal);
      }
    }
  }

  /** The updates that one call brings until it breaks. @returns {AsyncGenerator<Update, void, void>} */
  async *#oneCall() {
    const { roll, signal } = this.#following;
    const stream = await this.#connection.watch(this.#cursor.request);
    const hangUp = () => stream.cancel();
    signal?.addEventListener("abort", hangUp);
    try {
      this.#reportConnection(true);
      await roll();
      while (!signal?.aborted) {
        const message = await stream.next();
        if (message === null) throw new StreamBroken("the stream ended before the game");
        const update = this.#cursor.advance(message);
        if (update !== null) yield update;
      }
    } finally {
      signal?.removeEventListener("abort", hangUp);
      stream.cancel();
    }
  }

  /** @param {boolean} connected */
  #reportConnection(connected) {
    if (connected) this.#retry.succeeded();
    if (connected !== this.#connected) this.#following.onConnection?.(connected);
    this.#connected = connected;
  }
}
