/** A game as everybody may see it, over `/api/v1`: for those who look on. Nothing that lies under a cup ever comes this way. */

import { problemOf } from "../core/problem.js";

/** @import {Api} from "../core/api.js" */
/** @import {Game, GameEvent, GameView, Update} from "../../client/messages/types.js" */

const AGAIN_MILLISECONDS = 1_500;

/** @typedef {{version: number, event: GameEvent, view: GameView}} Step */
/** @typedef {{signal: AbortSignal, onConnection: (connected: boolean) => void}} Watching */

/** All that happens at a table, from its first event on. @param {Api} api @param {string} gameId @param {Watching} watching @returns {AsyncGenerator<Update, void, void>} */
export async function* seenByAll(api, gameId, { signal, onConnection }) {
  let [version, over] = [0, false];
  while (!signal.aborted && !over) {
    try {
      const answer = await api.fetch(`/games/${encodeURIComponent(gameId)}/live`, { view: true }, signal, { "last-event-id": String(version) });
      onConnection(true);
      for await (const steps of grouped(answer)) {
        const last = steps.at(-1);
        if (last === undefined) continue;
        version = last.version;
        over = last.view.phase === "ended";
        yield { game: gameWith(last), events: steps.map(({ event }) => event), came: null, rematchId: null, proven: null };
      }
      over ||= answer.status === 204;
    } catch (error) {
      if (signal.aborted) return;
      const { status, reason } = problemOf(error);
      if (status > 0 && status < 500 && status !== 429 && reason !== "UNREACHABLE") throw error;
      onConnection(false);
    }
    if (!over) await new Promise((resolve) => setTimeout(resolve, AGAIN_MILLISECONDS));
  }
}

/** The steps of a stream. What one move did comes together, so a challenge and its result do. @param {Response} answer @returns {AsyncGenerator<Step[], void, void>} */
async function* grouped(answer) {
  /** @type {Step[]} */
  let steps = [];
  for await (const blocks of blocksOf(answer)) {
    steps.push(...blocks.map(stepIn).filter((step) => step !== null));
    if (steps.at(-1)?.view.phase === "settling") continue;
    yield steps;
    steps = [];
  }
}

/** The server-sent events as they come, all that came at once together. @param {Response} answer */
async function* blocksOf(answer) {
  let text = "";
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    text += read.value;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    yield blocks;
  }
}

/** @param {string} block @returns {Step | null} */
function stepIn(block) {
  const lines = block.split("\n");
  const data = lines.find((line) => line.startsWith("data: "));
  if (!lines.includes("event: step") || data === undefined) return null;
  const { step, view } = camelled(JSON.parse(data.slice("data: ".length)));
  const type = step.event.type.replace(/(?:^|_)([a-z])/g, (/** @type {string} */ _, /** @type {string} */ letter) => letter.toUpperCase());
  return { version: step.version, event: { ...step.event, type, version: step.version }, view };
}

/** The same with names in lowerCamelCase. @param {any} value @returns {any} */
function camelled(value) {
  if (Array.isArray(value)) return value.map(camelled);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()), camelled(one)]));
}

/** The table as the page knows it. Who is connected is told to players only. @param {Step} step @returns {Game} */
function gameWith({ version, view }) {
  const { turnSeconds } = view.options;
  const due = view.since !== null && turnSeconds !== null && view.waiting.length > 0 ? view.since + turnSeconds * 1000 : null;
  return {
    view, version, due,
    ownerId: "", private: false, invitationCode: "", seatsMax: view.seats.length, spectatorDelaySeconds: 0,
    connected: view.seats.map(({ seat }) => seat), linkNumber: 0, chainLength: 0,
    rematchOf: "", rematchId: "", digest: new Uint8Array(), forkedFrom: "", forkedVersion: 0,
  };
}
