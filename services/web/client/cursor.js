/**
 * How far the client has come in one game: each event once and in order, over however many streams it takes.
 *
 * Events are known by their versions. A repeated event is skipped. Where one would be missing the stream is of no more use.
 */

/** @import {Game, Update} from "./messages/types.js" */
/** @import {Message} from "./transport/message_stream.js" */
import { flag, message, text, whole } from "./messages/decode.js";
import { gameOf } from "./messages/games.js";
import { StreamBroken } from "./transport/refusal.js";
import { updateOf } from "./whole_game.js";

const CONNECTION = message({ seat: whole, connected: flag });
const HEARTBEAT = message({ version: whole });
const REMATCH = message({ rematchId: text });

export class Cursor {
  #gameId;
  #code;
  /** @type {number | null} */
  #version;
  /** @type {Game | null} */
  #game = null;

  /** @param {string} gameId @param {string} code @param {number | null} after the version that is known already */
  constructor(gameId, code = "", after = null) {
    this.#gameId = gameId;
    this.#code = code;
    this.#version = after;
  }

  /** Asks for what comes after the last event. */
  get request() {
    const after = this.#version === null ? {} : { afterVersion: String(this.#version) };
    return { gameId: this.#gameId, invitationCode: this.#code, includeGame: true, ...after };
  }

  /** What is new in a message about this game; null if nothing is. @param {Message} content @returns {Update | null} */
  advance(content) {
    if (content.snapshot !== undefined) return this.#snapshot(gameOf(content.snapshot));
    if (content.update !== undefined) return this.#update(updateOf(content.update));
    if (content.connection !== undefined) return this.#connection(CONNECTION(content.connection));
    if (content.rematch !== undefined) return this.#told({ rematchId: REMATCH(content.rematch).rematchId });
    const missed = this.#version !== null && HEARTBEAT(content.heartbeat).version > this.#version;
    if (missed) throw new StreamBroken("an event was left out");
    return null;
  }

  /** @param {Game} game */
  #snapshot(game) {
    this.#game = game;
    this.#version = game.version;
    return this.#told({});
  }

  /** @param {Update} update */
  #update(update) {
    const last = this.#version ?? 0;
    const events = update.events.filter(({ version }) => version > last);
    if (events.length === 0) return null;
    if (events.some(({ version }, index) => version !== last + 1 + index)) throw new StreamBroken("an event was left out");
    this.#game = update.game;
    this.#version = last + events.length;
    return { ...update, events };
  }

  /** @param {{seat: number, connected: boolean}} came */
  #connection(came) {
    if (this.#game === null) return null;
    const others = this.#game.connected.filter((seat) => seat !== came.seat);
    this.#game = { ...this.#game, connected: came.connected ? [...others, came.seat].sort((one, other) => one - other) : others };
    return this.#told({ came });
  }

  /** @param {Partial<Update>} news @returns {Update | null} */
  #told(news) {
    return this.#game === null ? null : { game: this.#game, events: [], came: null, rematchId: null, proven: null, ...news };
  }
}
