/** Something that went wrong, as the page tells it: a refusal of the server, or a server that does not answer. */

import { Refused, Unreachable } from "../../client/transport/refusal.js";

export class Problem extends Error {
  /** @param {{reason: string, sentence: string, status?: number, metadata?: Record<string, string>, retrySeconds?: number | null}} told */
  constructor({ reason, sentence, status = 0, metadata = {}, retrySeconds = null }) {
    super(sentence);
    this.name = "Problem";
    this.reason = reason;
    this.status = status;
    this.metadata = metadata;
    this.retrySeconds = retrySeconds;
  }
}

/** What went wrong, whatever was thrown. @param {unknown} error @returns {Problem} */
export function problemOf(error) {
  if (error instanceof Problem) return error;
  if (error instanceof Refused) return new Problem({ reason: error.reason, sentence: error.message, metadata: error.metadata });
  if (error instanceof Unreachable || error instanceof TypeError) return new Problem({ reason: "UNREACHABLE", sentence: "" });
  const name = error instanceof Error ? error.name : "Error";
  if (name === "FalseServer") return new Problem({ reason: "FALSE_SERVER", sentence: /** @type {Error} */ (error).message });
  return new Problem({ reason: "UNKNOWN", sentence: error instanceof Error ? error.message : String(error) });
}
