/** Why a call failed: the server refused it and gave a reason, or did not answer at all. */

/** @import {Bid} from "../messages/types.js" */

// A server that goes down may cancel a call that has just come in. Calls that the client itself cancels never get here.
const UNANSWERED = new Set(["unavailable", "deadline_exceeded", "canceled"]);
const BROKEN = new Set(["internal", "unknown"]);
const WILD_FACE = 1;

/** The codes of answers that carry no error of Connect, such as those of a proxy. @type {Record<number, string>} */
const CODES = {
  400: "internal",
  401: "unauthenticated",
  403: "permission_denied",
  404: "unimplemented",
  429: "unavailable",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

/**
 * @typedef {object} RefusalParts
 * @property {string} [reason] the stable reason, in upper snake case
 * @property {Record<string, string>} [metadata] every value that the message mentions
 * @property {number | null} [retrySeconds] when to make the call again
 */

/** The server refused a call, and did nothing. */
export class Refused extends Error {
  /** @param {string} code @param {string} message @param {RefusalParts} [parts] */
  constructor(code, message, { reason = "", metadata = {}, retrySeconds = null } = {}) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.reason = reason;
    this.metadata = metadata;
    this.retrySeconds = retrySeconds;
  }

  /** The clauses of the rulebook, and the rulings, that the refusal rests on. */
  get clauses() {
    const cited = this.metadata.clauses;
    return cited ? cited.split(", ") : [];
  }

  /** The lowest legal bid of each face, if a bid was refused that was too low. @returns {Bid[]} */
  get lowestBids() {
    const bids = (this.metadata.lowest ?? "").matchAll(/(\d+)x(?:([1-6])| [^,]+)/g);
    // A book may have a name for face 1, and then the server writes the name.
    return Array.from(bids, ([, quantity, face]) => ({ quantity: Number(quantity), face: Number(face ?? WILD_FACE) }));
  }

  /** Whether the client may not know what became of the call: the server is away, or goes down. */
  get unanswered() {
    return UNANSWERED.has(this.code);
  }

  /** Whether the server answered that the call came too soon, and said when to make it again. */
  get limited() {
    return this.code === "resource_exhausted" && this.retrySeconds !== null;
  }

  /** Whether the same call is worth making again a little later. */
  get passing() {
    return this.unanswered || this.limited;
  }

  /** Whether a stream that ended so is worth opening again, as one is that broke without a word of the server. */
  get resumable() {
    return this.passing || this.reason === "WATCHER_TOO_SLOW" || (!this.reason && BROKEN.has(this.code));
  }
}

/** The client itself refused a move, and sent nothing. */
export class KeptBack extends Refused {}

/** The server goes back on what it said, or dice do not follow from the links; its game gets no further link. */
export class FalseServer extends Error {
  /** @param {string} gameId @param {string} problem */
  constructor(gameId, problem) {
    super(`the server is false in game ${gameId}: ${problem}`);
    this.name = "FalseServer";
    this.gameId = gameId;
    this.problem = problem;
  }
}

/** The client tried for as long as it has patience, and the server did not answer. */
export class Unreachable extends Error {
  /** @param {string} address @param {Refused} last */
  constructor(address, last) {
    // Only programmers need the words of the transport; they find them in `last`.
    super(`the server at ${address} does not answer${last.reason ? `: ${last.message}` : ""}`);
    this.name = "Unreachable";
    this.last = last;
  }
}

/** A stream left something out, or ended before its game; the client opens another one. */
export class StreamBroken extends Error {}

/** What a failed call or a broken stream says; null for an error that is none of these. @param {unknown} error */
export function failureOf(error) {
  if (error instanceof Refused) return error;
  if (error instanceof Unreachable) return error.last;
  return error instanceof StreamBroken ? new Refused("deadline_exceeded", "it fell silent") : null;
}

/** The refusal in an answer of Connect. @param {unknown} error its JSON @param {number} [status] that of HTTP */
export function refusedBy(error, status = 500) {
  const { code, message, details } = /** @type {Record<string, any>} */ (isObject(error) ? error : {});
  const said = Array.isArray(details) ? details.filter(isObject) : [];
  const info = debugOf(said, "google.rpc.ErrorInfo");
  const metadata = isObject(info.metadata) ? /** @type {Record<string, string>} */ (info.metadata) : {};
  const known = typeof code === "string" ? code : (CODES[status] ?? "unknown");
  return new Refused(known, typeof message === "string" && message ? message : known, {
    reason: typeof info.reason === "string" ? info.reason : "",
    metadata,
    retrySeconds: secondsOf(debugOf(said, "google.rpc.RetryInfo").retryDelay),
  });
}

/** The readable form of a detail; empty if it is not there. @param {Record<string, any>[]} details @param {string} type */
function debugOf(details, type) {
  const found = details.find((detail) => detail.type === type)?.debug;
  return isObject(found) ? found : {};
}

/** A duration of protobuf, such as "0.2s". @param {unknown} text */
function secondsOf(text) {
  const seconds = typeof text === "string" && text.endsWith("s") ? Number(text.slice(0, -1)) : Number.NaN;
  return Number.isFinite(seconds) ? seconds : null;
}

/** @param {unknown} value @returns {value is Record<string, any>} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
