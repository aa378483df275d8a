/** The messages of a stream: envelope after envelope, until the one that ends it. */

/** @import {Envelope} from "./envelopes.js" */
import { within } from "./deadline.js";
import { COMPRESSED, END_OF_STREAM, EnvelopeReader } from "./envelopes.js";
import { Refused, StreamBroken, refusedBy } from "./refusal.js";

/** @typedef {Record<string, any>} Message a message as JSON of protobuf */

/** The messages of a stream that was opened. */
export class MessageStream {
  #reader;
  #controller;
  #silenceSeconds;
  #envelopes = new EnvelopeReader();
  /** @type {Envelope[]} */
  #ready = [];

  /** @param {ReadableStreamDefaultReader<Uint8Array>} reader @param {AbortController} controller @param {number} silenceSeconds */
  constructor(reader, controller, silenceSeconds) {
    this.#reader = reader;
    this.#controller = controller;
    this.#silenceSeconds = silenceSeconds;
  }

  /** The next message; null at the end. A stream that is silent for too long is dead. @returns {Promise<Message | null>} */
  async next() {
    for (;;) {
      const envelope = this.#ready.shift();
      if (envelope !== undefined) return opened(envelope);
      const { done, value } = await within(this.#silenceSeconds, this.#controller, this.#reader.read());
      // Every stream of Connect ends with an envelope that says so. Without it, the line was cut.
      if (done) throw new StreamBroken("the stream was cut");
      this.#ready = this.#envelopes.push(value);
    }
  }

  /** Hang up. */
  cancel() {
    this.#controller.abort();
    this.#reader.cancel().catch(() => {}); // It may have ended already.
  }
}

/** The message in an envelope; null if it ends the stream. @param {Envelope} envelope @returns {Message | null} */
function opened({ flags, text }) {
  if (flags & COMPRESSED) throw new Refused("internal", "the server compresses, and nobody asked for that");
  const message = parsed(text);
  if (!(flags & END_OF_STREAM)) return message;
  if (message.error !== undefined) throw refusedBy(message.error);
  return null;
}

/** @param {string} text @returns {Message} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new StreamBroken("a message is not JSON");
  }
}
