/** A server that makes faults: it answers each request as a test says, and notes what it was sent. */

import { createServer } from "node:http";
import { enveloped } from "../../services/web/client/transport/envelopes.js";

/** @typedef {import("node:http").ServerResponse} ServerResponse */
/** @typedef {{path: string, headers: import("node:http").IncomingHttpHeaders, text: string, body: any}} Asked */
/** @typedef {(response: ServerResponse, asked: Asked) => void} Answer */

/**
 * The outcome of a story with a server that gives these answers, one after the other; the last one again and again.
 *
 * @template Result
 * @param {Answer[]} answers
 * @param {(address: string, asked: Asked[]) => Promise<Result>} story
 */
export async function withServer(answers, story) {
  /** @type {Asked[]} */
  const asked = [];
  const server = createServer(async (request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const whole = Buffer.concat(chunks);
    const streamed = request.headers["content-type"] === "application/connect+json";
    const text = (streamed ? whole.subarray(5) : whole).toString();
    const one = { path: request.url ?? "", headers: request.headers, text, body: JSON.parse(text) };
    asked.push(one);
    (answers[asked.length - 1] ?? answers.at(-1))?.(response, one);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  try {
    return await story(`http://127.0.0.1:${port}`, asked);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** @param {object} body @returns {Answer} */
export const answers = (body) => (response) => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
};

/** @param {number} status @param {string} code @param {object[]} details @returns {Answer} */
export const refuses = (status, code, details = []) => (response) => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ code, message: code, details }));
};

/** The line is cut before an answer. @type {Answer} */
export const hangsUp = (response) => {
  response.destroy();
};

/** The line is cut in the middle of an answer. @type {Answer} */
export const breaksOff = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100" }).write('{"player": {');
  setTimeout(() => response.destroy(), 20);
};

/** @type {Answer} */
export const saysNothing = () => {};

/** Messages of a stream that has begun. @param {ServerResponse} response @param {object[]} messages */
export function tells(response, messages) {
  for (const message of messages) response.write(enveloped(JSON.stringify(message)));
}

/** A stream with these messages; then it ends as `end` says, or stays open. @param {object[]} messages @param {object | "cut" | "open"} end @returns {Answer} */
export const streams = (messages, end = {}) => (response) => {
  response.writeHead(200, { "content-type": "application/connect+json" });
  tells(response, messages);
  if (end === "cut") setTimeout(() => response.destroy(), 20);
  else if (end !== "open") response.end(enveloped(JSON.stringify(end), 2));
};
