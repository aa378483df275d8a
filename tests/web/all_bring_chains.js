/** A game of three players who all bring chains and sign; it tells what each round proved and, in the end, the bundle and how often
 * they read the whole game. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Client, FileSeatKeeper } from "../../services/web/client/node.js";
import { playOn } from "./playing.js";
import { instructions, run, tell } from "./told.js";

let reads = 0;
const { fetch } = globalThis;
/** @param {Parameters<typeof fetch>} asked */
globalThis.fetch = (...asked) => {
  reads += Number(String(asked[0]).endsWith("/GetGame"));
  return fetch(...asked);
};

run(async () => {
  const { address, folder, rulebook } = instructions();
  const clients = ["Ann", "Bob", "Cas"].map((name) => new Client(address, { seats: new FileSeatKeeper(join(folder, name)) }));
  for (const [index, client] of clients.entries()) await client.register(`Player ${index}`);
  const [owner, ...others] = /** @type {[Client, ...Client[]]} */ (clients);
  const table = await owner.create(rulebook, { options: { diceEach: 3 }, signMoves: true });
  const tables = [table];
  for (const client of others) tables.push(await client.join(table.gameId, { signMoves: true }));
  const playing = tables.map(async (each) => {
    for await (const { events, game, proven } of each.watch({ after: 0 })) {
      if (each === table) tell({ events, proven });
      await playOn(each, game);
    }
  });
  await Promise.all([...playing, table.start()]);
  const readWhilePlaying = reads;
  const kept = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());
  const secrets = kept.filter(({ name }) => !name.endsWith(".receipts"));
  const receipts = await Promise.all(tables.map((each) => each.receipts()));
  const {
    keys: [key],
  } = await owner.call("AuditService", "GetCheckpoint");
  const { bundle } = await owner.call("AuditService", "GetAudit", { gameId: table.gameId });
  tell({ proven: await owner.table(table.gameId).checkDice(), bundle, key, kept: secrets.length, receipts, reads: readWhilePlaying });
});
