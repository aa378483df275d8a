/** Reads messages from its input, one on each line with the name of its shape, and writes what the client makes of them. */

import { createInterface } from "node:readline";
import { toJson } from "../../services/web/client/bytes.js";
import { eventOf } from "../../services/web/client/messages/events.js";
import { freshnessOf, modelFreshnessOf } from "../../services/web/client/messages/freshness.js";
import { doneOf, gameOf, playerOf, rulebookOf, summaryOf } from "../../services/web/client/messages/games.js";
import { NEVER_REPEATED } from "../../services/web/client/transport/connection.js";

/** @type {Record<string, (raw: unknown) => unknown>} */
const READ = {
  CommandResult: doneOf,
  Freshness: freshnessOf,
  Game: gameOf,
  GameEvent: eventOf,
  GameSummary: summaryOf,
  ModelFreshness: modelFreshnessOf,
  Player: playerOf,
  Rulebook: rulebookOf,
  NeverRepeated: () => [...NEVER_REPEATED],
};

for await (const line of createInterface({ input: process.stdin })) {
  const [kind, message] = JSON.parse(line);
  console.log(toJson(READ[kind]?.(message)));
}
