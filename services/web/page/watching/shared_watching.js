/**
 * Follows games over one stream for all tabs of the browser.
 *
 * A browser opens six connections to a server that speaks HTTP/1.1, for all of its tabs together. With a stream in each
 * tab, the seventh table would never load. So a worker that all tabs share (`stream_worker.js`) follows all their games with one
 * call, `WatchGames`, and hands each tab what belongs to it. Where there are no such workers, each tab has its own stream.
 */

/** @import {Connection, OpenWatch, Watched} from "../../client/transport/connection.js" */
/** @import {Message} from "../../client/transport/message_stream.js" */
import { StreamBroken } from "../../client/transport/refusal.js";

/** What a tab asks of the worker. @typedef {{type: "watch", id: string, address: string, token: string | null, request: Message} | {type: "leave", id: string}} Asked */
/** What the worker answers: that it follows the game, something about the game, that the stream broke, or that the tab has to open its own.
 * @typedef {{id: string, type: "begun" | "broken" | "alone"} | {id: string, type: "message", message: Message}} Told */

/** A way to follow games that shares one stream with other tabs; null if this browser has none. @returns {OpenWatch | null} */
export function sharedWatching() {
  if (typeof SharedWorker === "undefined" || !navigator.locks) return null;
  const worker = new SharedWorker(new URL("stream_worker.js", import.meta.url), { type: "module", name: "liarsdice" });
  /** @type {Map<string, SharedStream>} */
  const streams = new Map();
  worker.port.onmessage = ({ data }) => streams.get(data.id)?.take(data);
  const say = (/** @type {Asked} */ asked) => worker.port.postMessage(asked);
  return async (request, connection) => {
    const id = crypto.randomUUID();
    const letGo = await heldLock(id);
    const left = () => {
      streams.delete(id);
      say({ type: "leave", id });
      letGo();
    };
    const stream = new SharedStream(connection, request, left);
    streams.set(id, stream);
    say({ type: "watch", id, address: connection.address, token: connection.token, request });
    await stream.begun;
    return stream;
  };
}

/** Take a lock, and return what lets go of it. The worker waits for it, and gets it also if the tab is gone without a word.
 * @param {string} name @returns {Promise<() => void>} */
function heldLock(name) {
  return new Promise((held) => {
    navigator.locks.request(name, () => new Promise((letGo) => held(() => letGo(undefined))));
  });
}

/** What comes about one game. @implements {Watched} */
class SharedStream {
  #connection;
  #request;
  #left;
  /** @type {Message[]} */
  #ready = [];
  #broken = false;
  /** The stream of this tab alone, if the worker does not follow the game. @type {Promise<Watched> | null} */
  #own = null;
  /** @type {() => void} */
  #wake = () => {};
  /** @type {(value?: undefined) => void} */
  #begin = () => {};

  /** @param {Connection} connection @param {Message} request @param {() => void} left */
  constructor(connection, request, left) {
    this.#connection = connection;
    this.#request = request;
    this.#left = left;
    /** When it is known who follows the game. @type {Promise<unknown>} */
    this.begun = new Promise((resolve) => (this.#begin = resolve));
    // A worker that says nothing is of no use.
    this.#timer = setTimeout(() => this.take({ id: "", type: "alone" }), connection.patience.trySeconds * 1000);
  }

  #timer;

  /** @param {Told} told */
  take(told) {
    clearTimeout(this.#timer);
    if (told.type === "message") this.#ready.push(told.message);
    else if (told.type === "broken") this.#broken = true;
    else if (told.type === "alone") this.#own ??= this.#connection.open("GameService", "WatchGame", this.#request);
    this.#own?.catch(() => {}); // `next` throws it.
    this.#begin();
    this.#wake();
  }

  /** The next message; throws if the stream broke or fell silent. @returns {Promise<Message | null>} */
  async next() {
    if (this.#ready.length === 0 && !this.#broken && this.#own === null) await this.#news();
    const message = this.#ready.shift();
    if (message !== undefined) return message;
    if (this.#own === null) throw new StreamBroken("the shared stream broke");
    return (await this.#own).next();
  }

  /** Hang up. */
  cancel() {
    clearTimeout(this.#timer);
    this.#broken = true;
    this.#own?.then((stream) => stream.cancel()).catch(() => {}); // It may never have begun.
    this.#wake();
    this.#left();
  }

  /** Something new, or for too long nothing. @returns {Promise<void>} */
  #news() {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#connection.patience.silenceSeconds * 1000);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = () => {};
        resolve();
      };
    });
  }
}
