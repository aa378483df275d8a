/**
 * The games that the tabs of one player follow, on one stream.
 *
 * When a game is added or left, the stream is opened again for all of them, each after the last version that its tab has got.
 * So nothing is told twice and nothing is left out. If the stream breaks, every tab hears it, and asks again as it would with
 * a stream of its own.
 */

/** @import {Message, MessageStream} from "../../client/transport/message_stream.js" */
/** @import {Told} from "./shared_watching.js" */
import { Connection } from "../../client/transport/connection.js";

/** @typedef {{id: string, request: Message, tell: (told: Told) => void}} Watch */

/** Tabs that are opened together are entered together. */
const GATHER_MILLISECONDS = 15;
const GAMES_MAX = 100;

export class FollowedGames {
  #connection;
  /** By game. @type {Map<string, Watch>} */
  #watches = new Map();
  /** @type {MessageStream | null} */
  #stream = null;
  #changed = false;
  /** Counts the streams. Only the last one is read: one that was opened slowly may come after it. */
  #turn = 0;

  /** @param {string} address @param {string | null} token */
  constructor(address, token) {
    this.#connection = new Connection(address, { token });
  }

  /** Follow a game. @param {string} id @param {Message} request @param {Watch["tell"]} tell */
  add(id, request, tell) {
    // One stream has each game once. A second tab with the same game is rare, and gets a stream of its own.
    if (this.#watches.has(request.gameId) || this.#watches.size >= GAMES_MAX) {
      tell({ id, type: "alone" });
      return;
    }
    this.#watches.set(request.gameId, { id, request, tell });
    this.#reopen();
  }

  /** Follow a game no longer. @param {string} id */
  remove(id) {
    for (const [gameId, watch] of this.#watches) {
      if (watch.id !== id) continue;
      this.#watches.delete(gameId);
      this.#reopen();
    }
  }

  /** Open the stream for the games of now, once those that come together are there. */
  #reopen() {
    if (this.#changed) return;
    this.#changed = true;
    setTimeout(() => {
      this.#changed = false;
      this.#stream?.cancel();
      this.#stream = null;
      this.#turn += 1;
      if (this.#watches.size > 0) this.#follow(this.#turn);
    }, GATHER_MILLISECONDS);
  }

  /** @param {number} turn */
  async #follow(turn) {
    try {
      const games = Array.from(this.#watches.values(), ({ request }) => request);
      const stream = await this.#connection.open("GameService", "WatchGames", { games });
      // Another game came meanwhile, and has a stream of its own turn. This one would keep a connection for ever.
      if (this.#isReplaced(turn)) return void stream.cancel();
      this.#stream = stream;
      for (const { id, tell } of this.#watches.values()) tell({ id, type: "begun" });
      for (let message = await stream.next(); message !== null; message = await stream.next()) this.#hand(message);
      this.#broke(turn);
    } catch {
      this.#broke(turn);
    }
  }

  /** Whether another stream was opened, or is about to be. @param {number} turn */
  #isReplaced(turn) {
    return this.#changed || turn !== this.#turn;
  }

  /** Tell all tabs that the stream broke, unless it was replaced by another one. @param {number} turn */
  #broke(turn) {
    if (this.#isReplaced(turn)) return;
    this.#stream = null;
    const watches = [...this.#watches.values()];
    this.#watches.clear();
    for (const { id, tell } of watches) tell({ id, type: "broken" });
  }

  /** Hand a message to the tab that it belongs to. @param {Message} message */
  #hand(message) {
    if (message.heartbeat !== undefined) {
      for (const { id, tell } of this.#watches.values()) tell({ id, type: "message", message });
      return;
    }
    const gameId = message.snapshot?.view?.gameId ?? Object.values(message)[0]?.gameId;
    const watch = this.#watches.get(gameId);
    if (watch === undefined) return;
    if (message.refused !== undefined) {
      // A stream of its own is refused in the usual way, which the tab understands.
      this.#watches.delete(gameId);
      watch.tell({ id: watch.id, type: "alone" });
      return;
    }
    const version = message.snapshot?.version ?? message.update?.version;
    if (version !== undefined) watch.request = { ...watch.request, afterVersion: version };
    watch.tell({ id: watch.id, type: "message", message });
  }
}
