/** Reads what the server tells over `/api/v1`. */

import { Problem } from "./problem.js";

const BASE = "/api/v1";

/** @typedef {Record<string, string | number | boolean | null | undefined>} Query */

export class Api {
  /** @param {{origin?: string, token?: () => string | null}} [settings] the server, if it is another; the token to read with */
  constructor({ origin = "", token = () => null } = {}) {
    this.origin = origin;
    this.token = token;
  }

  /** The address of something, for links. @param {string} path such as `/games` @param {Query} [query] */
  address(path, query = {}) {
    const asked = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
    const search = new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
    return `${this.origin}${BASE}${path}${search ? `?${search}` : ""}`;
  }

  /** An answer as JSON. @param {string} path @param {Query} [query] @param {AbortSignal} [signal] @returns {Promise<any>} */
  async get(path, query = {}, signal) {
    const answer = await this.fetch(path, query, signal);
    const told = await answer.json();
    // A complete answer has this time only in its header, where it does not change the answer's tag.
    const upTo = answer.headers.get("liarsdice-caught-up-to");
    if (told.freshness && upTo !== null) told.freshness.caught_up_to ??= Date.parse(upTo);
    return told;
  }

  /** An answer as it is; a refusal is thrown. @param {string} path @param {Query} [query] @param {AbortSignal} [signal] @param {Record<string, string>} [further] headers */
  async fetch(path, query = {}, signal, further = {}) {
    const token = this.token();
    const headers = new Headers(token === null ? further : { ...further, authorization: `Bearer ${token}` });
    const answer = await fetch(this.address(path, query), { headers, signal: signal ?? null });
    if (!answer.ok) throw await problemIn(answer);
    return answer;
  }
}

/** @param {Response} answer */
async function problemIn(answer) {
  const told = await answer.json().catch(() => ({}));
  const wait = answer.headers.get("retry-after");
  return new Problem({
    reason: told.reason ?? (answer.status >= 500 ? "UNREACHABLE" : "UNKNOWN"),
    sentence: told.detail ?? answer.statusText,
    status: answer.status,
    metadata: told.metadata ?? {},
    retrySeconds: wait === null ? null : Number(wait),
  });
}
