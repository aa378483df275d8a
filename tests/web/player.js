/** A player for tests with a chain and signed moves. It tells each update, and in the end what is proven and the bundle. */

import { Client, FileSeatKeeper, MemorySeatKeeper, PATIENCE } from "../../services/web/client/node.js";
import { playOn } from "./playing.js";
import { instructions, run, tell } from "./told.js";

/**
 * @typedef {object} Instructions
 * @property {string} address
 * @property {string} [token] that of the player; if not set, a new one
 * @property {string} [folder] where secrets are kept; in memory if not set
 * @property {string} [gameId] a game to go on with; if not set, a new one against a bot
 * @property {string} [rulebook]
 * @property {number} [bids] how many bids the player sees until it stops
 */

run(async () => {
  const { address, bids: bidsMax = Infinity, folder, gameId, rulebook = "", token = null } = /** @type {Instructions} */ (instructions());
  const seats = folder ? new FileSeatKeeper(folder) : new MemorySeatKeeper();
  const client = new Client(address, { token, seats, patience: { ...PATIENCE, pauseSecondsMin: 0.01, pauseSecondsMax: 0.1 } });
  if (token === null) await client.register("Node");
  const table = gameId ? client.table(gameId) : await client.create(rulebook, { options: { diceEach: 3 }, signMoves: true });
  if (!gameId) {
    await table.addBot("cautious");
    await table.start();
  }
  tell({ gameId: table.gameId, token: client.token });
  let bids = 0;
  for await (const { events, game, proven } of table.watch({ after: 0 })) {
    tell({ versions: events.map(({ version }) => version), proven });
    await playOn(table, game);
    bids += events.filter(({ type }) => type === "BidPlaced").length;
    if (bids >= bidsMax && game.view.phase !== "ended") return tell({ stopped: true });
  }
  const proven = await client.table(table.gameId).checkDice();
  const {
    keys: [key],
  } = await client.call("AuditService", "GetCheckpoint");
  const { bundle } = await client.call("AuditService", "GetAudit", { gameId: table.gameId });
  tell({ ended: true, proven, bundle, key });
});
