/** The connection to a server over the Connect protocol: the token, and how calls and streams are made with `fetch`. */

/** @import {Message} from "./message_stream.js" */
/** @import {Patience} from "./retry.js" */
import { toBase64, toJson } from "../bytes.js";
import { within } from "./deadline.js";
import { enveloped } from "./envelopes.js";
import { MessageStream } from "./message_stream.js";
import { Refused, refusedBy } from "./refusal.js";
import { PATIENCE, Retry } from "./retry.js";

const PACKAGE = "liarsdice.v1";
const REQUEST_ID_BYTES = 18;

/** Calls without a request id: a second try could do them a second time. `proto/service_config.json` leaves them out too. */
export const NEVER_REPEATED = new Set(["Register", "RotateToken", "RevokeToken"]);

/** A name for one command of one client, never used again. */
export function newRequestId() {
  // Not `randomUUID`, which browsers keep from pages that did not come over https.
  return toBase64(crypto.getRandomValues(new Uint8Array(REQUEST_ID_BYTES)));
}

/** What comes about a game that is followed. @typedef {Pick<MessageStream, "next" | "cancel">} Watched */
/** Another way to follow a game than a stream of its own. @typedef {(request: Message, connection: Connection) => Promise<Watched>} OpenWatch */

/** A server at an address, with a token once there is one. */
export class Connection {
  /** @type {string | null} */
  #token;
  #watching;

  /** @param {string} address such as `https://dice.example` @param {{token?: string | null, patience?: Partial<Patience>, watching?: OpenWatch | null}} [how] */
  constructor(address, { token = null, patience = {}, watching = null } = {}) {
    this.address = address.replace(/\/+$/, "");
    this.#token = token;
    this.#watching = watching;
    /** @type {Readonly<Patience>} */
    this.patience = { ...PATIENCE, ...patience };
  }

  get token() {
    return this.#token;
  }

  set token(token) {
    this.#token = token;
  }

  /** The tries of a new call or stream. */
  retry({ givesUp = true } = {}) {
    return new Retry(this.patience, this.address, { givesUp });
  }

  /**
   * The answer to a call, which is made again while it is not answered, unless that could do something twice.
   *
   * @param {string} service @param {string} method @param {Message} request
   * @returns {Promise<Message>}
   */
  async ask(service, method, request) {
    const worthTrying = (/** @type {Refused} */ failure) =>
      NEVER_REPEATED.has(method) ? failure.limited : failure.passing;
    const attempt = (/** @type {number} */ secondsLeft) =>
      this.#askOnce(service, method, request, Math.min(this.patience.trySeconds, secondsLeft));
    return this.retry().call(attempt, worthTrying);
  }

  /**
   * Begin a call on which many answers come.
   *
   * @param {string} service @param {string} method @param {Message} request @param {number} [silenceSeconds]
   * @returns {Promise<MessageStream>}
   */
  async open(service, method, request, silenceSeconds = this.patience.silenceSeconds) {
    const controller = new AbortController();
    const asked = { body: enveloped(toJson(request)), type: "application/connect+json", signal: controller.signal };
    // The server answers with headers at once, so the client knows that it is there even if nothing happens.
    const response = await within(this.patience.trySeconds, controller, this.#post(service, method, asked));
    if (!response.ok || response.body === null) {
      throw refusedBy(await within(this.patience.trySeconds, controller, jsonOf(response)), response.status);
    }
    return new MessageStream(response.body.getReader(), controller, silenceSeconds);
  }

  /** Follow one game, on a stream of its own unless the caller has a better way. @param {Message} request @returns {Promise<Watched>} */
  async watch(request) {
    return this.#watching === null ? this.open("GameService", "WatchGame", request) : this.#watching(request, this);
  }

  /** @param {string} service @param {string} method @param {Message} request @param {number} seconds */
  async #askOnce(service, method, request, seconds) {
    const controller = new AbortController();
    const headers = { "connect-timeout-ms": String(Math.max(1, Math.ceil(seconds * 1000))) };
    const asked = { body: toJson(request), type: "application/json", signal: controller.signal, headers };
    const answered = this.#post(service, method, asked).then(async (response) => {
      const answer = await jsonOf(response);
      if (!response.ok) throw refusedBy(answer, response.status);
      if (typeof answer !== "object" || answer === null) throw new Refused("unavailable", "the answer was cut off");
      return /** @type {Message} */ (answer);
    });
    return within(seconds, controller, answered);
  }

  /**
   * @param {string} service @param {string} method
   * @param {{body: string | Uint8Array<ArrayBuffer>, type: string, signal: AbortSignal, headers?: Record<string, string>}} asked
   */
  async #post(service, method, { body, type, signal, headers = {} }) {
    /** @type {Record<string, string>} */
    const credentials = this.#token === null ? {} : { authorization: `Bearer ${this.#token}` };
    return fetch(`${this.address}/${PACKAGE}.${service}/${method}`, {
      method: "POST",
      headers: { "content-type": type, "connect-protocol-version": "1", ...credentials, ...headers },
      body,
      signal,
      // The token is in a header, so no cookie has to go anywhere; and an answer of before is never the answer of now.
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
    });
  }
}

/** The JSON of an answer; null if it is none. @param {Response} response @returns {Promise<unknown>} */
async function jsonOf(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
