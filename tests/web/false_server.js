/** A player who meets a server that lies; it tells how that ended. */

import { Client, FalseServer, FileSeatKeeper, MemorySeatKeeper } from "../../services/web/client/node.js";
import { playToTheEnd } from "./playing.js";
import { ask, instructions, run, tell } from "./told.js";

const { address, folder, story } = instructions();
const seats = folder ? new FileSeatKeeper(folder) : new MemorySeatKeeper();

/** Tells that the server was found false; anything else is thrown on. @param {Promise<unknown>} work */
async function foundFalse(work) {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof FalseServer)) throw error;
    return error;
  }
  throw new Error("nothing was found");
}

/** A game in which the dice of the first round lie under the cups. @param {Client} client */
async function opened(client) {
  const table = await client.create("single-hand", { options: { opener: 0 } });
  await table.addBot("cautious");
  await table.start();
  for await (const { game } of table.watch()) if (game.view.phase === "bidding") return table;
  throw new Error("the game was over before it began");
}

/** @type {Record<string, () => Promise<void>>} */
const STORIES = {
  /** It lies from the start of a game. */
  async liesFromTheStart() {
    const ann = new Client(address, { seats });
    await ann.register("Ann");
    const table = await ann.create("pirates", { options: { diceEach: 2 }, signMoves: true });
    await table.addBot("cautious");
    await table.start();
    await ask("lie");
    const found = await foundFalse(playToTheEnd(table));
    const before = await ask("links");
    for (const move of [table.roll(), table.bid(1, 2), table.challenge(), table.checkDice()]) await foundFalse(move);
    tell({ gameId: table.gameId, message: found.message, sentAfterwards: (await ask("links")) - before });
  },

  /** It lies after a restart of the client. */
  async liesLater() {
    const ann = new Client(address, { seats });
    const { playerId } = await ann.register("Ann");
    const table = await opened(ann);
    await ask("spoil", { playerId, gameId: table.gameId });
    const before = await ask("links");
    const again = new Client(address, { token: ann.token, seats: new FileSeatKeeper(folder) });
    const found = await foundFalse(playToTheEnd(again.table(table.gameId)));
    tell({ message: found.message, sentAfterwards: (await ask("links")) - before });
  },

  /** It was ahead once: a link with a high number was sent. */
  async callsAgain() {
    const ann = new Client(address, { seats });
    const { playerId } = await ann.register("Ann");
    const table = await opened(ann);
    const kept = await seats.find({ server: ann.address, playerId, gameId: table.gameId });
    if (kept === null) throw new Error("nothing is kept");
    await seats.note(kept, { number: 60, version: 1000, told: Buffer.alloc(32).toString("base64") });
    const before = await ask("links");
    const again = new Client(address, { token: ann.token, seats: new FileSeatKeeper(folder) });
    const found = await foundFalse(playToTheEnd(again.table(table.gameId)));
    tell({ message: found.message, sentAfterwards: (await ask("links")) - before });
  },

  /** It tells again what it told, and otherwise. */
  async tellsOtherwise() {
    const ann = new Client(address, { seats });
    await ann.register("Ann");
    const table = await opened(ann);
    await table.checkDice();
    await ask("lie");
    tell({ message: (await foundFalse(table.checkDice())).message });
  },

  /** Its table has chains of another length. */
  async hasOtherChains() {
    const ann = new Client(address, { seats });
    await ann.register("Ann");
    await ask("lie");
    tell({ message: (await foundFalse(ann.create("pirates"))).message });
  },

  /** It lies to a spectator. */
  async liesToSpectators() {
    const [ann, bob] = [new Client(address), new Client(address)];
    await ann.register("Ann");
    await bob.register("Bob");
    const table = await ann.create("pirates", { options: { diceEach: 2 } });
    await table.addBot("cautious");
    await table.start();
    await playToTheEnd(table);
    const { dice } = await bob.table(table.gameId).checkDice();
    await ask("lie");
    tell({ message: (await foundFalse(bob.table(table.gameId).checkDice())).message, dice });
  },
};

run(/** @type {() => Promise<void>} */ (STORIES[story]));
