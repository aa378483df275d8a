/** The envelopes of a Connect stream: one byte of flags, four bytes with the length, then the message. */

/** @import {Bytes} from "../bytes.js" */
import { bigEndian, joined, utf8 } from "../bytes.js";

export const COMPRESSED = 1;
export const END_OF_STREAM = 2;
const HEAD_LENGTH = 5;
// All events of a long game may come at once when it is resumed.
const LENGTH_MAX = 32 * 1024 * 1024;

/** @typedef {{flags: number, text: string}} Envelope */

/** An envelope with a text in it. @param {string} text @returns {Bytes} */
export function enveloped(text, flags = 0) {
  const message = utf8(text);
  return joined(Uint8Array.of(flags), bigEndian(message.length, 4), message);
}

/** Takes envelopes out of a stream of bytes, wherever the network has cut it. */
export class EnvelopeReader {
  /** @type {Uint8Array[]} */
  #chunks = [];
  #length = 0;

  /** The envelopes that are complete with these bytes. @param {Uint8Array} chunk @returns {Envelope[]} */
  push(chunk) {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const envelopes = [];
    for (let one = this.#next(); one !== null; one = this.#next()) envelopes.push(one);
    return envelopes;
  }

  /** Whether bytes of an envelope are there that is not complete. */
  get isCut() {
    return this.#length > 0;
  }

  /** @returns {Envelope | null} */
  #next() {
    if (this.#length < HEAD_LENGTH) return null;
    const head = this.#first(HEAD_LENGTH);
    const length = new DataView(head.buffer, head.byteOffset).getUint32(1);
    if (length > LENGTH_MAX) throw new RangeError(`a message of ${length} bytes is too long`);
    if (this.#length < HEAD_LENGTH + length) return null;
    const whole = this.#first(HEAD_LENGTH + length);
    this.#chunks[0] = whole.subarray(HEAD_LENGTH + length);
    this.#length -= HEAD_LENGTH + length;
    return { flags: head[0] ?? 0, text: new TextDecoder().decode(whole.subarray(HEAD_LENGTH, HEAD_LENGTH + length)) };
  }

  /** The first chunk, once it has so many bytes; chunks are joined only if it is too short. @param {number} length */
  #first(length) {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= length) return first;
    const whole = joined(...this.#chunks);
    this.#chunks = [whole];
    return whole;
  }
}
