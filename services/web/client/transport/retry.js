/**
 * The one retry policy, for calls and for streams: what is tried again, after which pause, and for how long.
 *
 * A call without an answer is made again with the same request; its request id keeps the server from doing it twice. A
 * stream that broke is opened again where it broke. Pauses grow from try to try, and the server may ask for a longer one.
 */

import { Refused, Unreachable } from "./refusal.js";

/**
 * How long a client tries.
 *
 * @typedef {object} Patience
 * @property {number} trySeconds the deadline of a single try
 * @property {number} totalSeconds how long a call is tried again before the client gives up
 * @property {number} pauseSecondsMin
 * @property {number} pauseSecondsMax
 * @property {number} silenceSeconds how long a stream may be silent; the server sends heartbeats more often
 */

/** @type {Readonly<Patience>} */
export const PATIENCE = Object.freeze({
  trySeconds: 5,
  totalSeconds: 30,
  pauseSecondsMin: 0.1,
  pauseSecondsMax: 2,
  silenceSeconds: 30,
});

/** The seconds to wait after some tries: more each time, and not the same for all clients of a server.
 * @param {Patience} patience @param {number} tries */
export function growingPause(patience, tries) {
  const longest = Math.min(patience.pauseSecondsMax, patience.pauseSecondsMin * 2 ** Math.min(tries, 16));
  return longest * (0.5 + Math.random() / 2);
}

/** The tries of one call, or of one stream. */
export class Retry {
  #patience;
  #address;
  #givesUp;
  #failures = 0;
  /** When the trouble began; null while there is none. @type {number | null} */
  #since = null;

  /** Without `givesUp` the tries never end. @param {Patience} patience @param {string} address */
  constructor(patience, address, { givesUp = true } = {}) {
    this.#patience = patience;
    this.#address = address;
    this.#givesUp = givesUp;
  }

  /** The server has answered, so the next trouble is a new one. */
  succeeded() {
    this.#failures = 0;
    this.#since = null;
  }

  /**
   * The answer to a call. `attempt` makes the call once, within the seconds that are left for all tries.
   *
   * @template Answer
   * @param {(secondsLeft: number) => Promise<Answer>} attempt
   * @param {(failure: Refused) => boolean} worthTrying
   * @returns {Promise<Answer>}
   */
  async call(attempt, worthTrying = (failure) => failure.passing) {
    // For a stream the patience counts from the moment it breaks. A caller waits from the first try on.
    const began = now();
    this.#since = began;
    for (;;) {
      try {
        return await attempt(began + this.#patience.totalSeconds - now());
      } catch (failure) {
        if (!(failure instanceof Refused) || !worthTrying(failure)) throw failure;
        await this.pause(failure);
      }
    }
  }

  /** Wait before the next try; throws if the patience ends before. @param {Refused} failure @param {AbortSignal} [signal] */
  async pause(failure, signal) {
    this.#since ??= now();
    const seconds = Math.max(growingPause(this.#patience, this.#failures), failure.retrySeconds ?? 0);
    if (this.#givesUp && now() + seconds >= this.#since + this.#patience.totalSeconds) {
      throw failure.limited ? failure : new Unreachable(this.#address, failure);
    }
    this.#failures += 1;
    await sleep(seconds, signal);
  }
}

/** Seconds on a clock that nobody sets. */
function now() {
  return performance.now() / 1000;
}

/** @param {number} seconds @param {AbortSignal} [signal] which ends it early @returns {Promise<void>} */
function sleep(seconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, seconds * 1000);
    signal?.addEventListener("abort", done, { once: true });
    if (signal?.aborted) done();
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    }
  });
}
