/** Stories about seats with secrets that the client keeps: what it adds to moves, what it holds back, and how seats end. */

import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { Client, FileSeatKeeper, KeptBack, Unreachable } from "../../services/web/client/node.js";
import { playToTheEnd } from "./playing.js";
import { ask, instructions, run } from "./told.js";

/** @typedef {import("../../services/web/client/node.js").Table} Table */
/** @typedef {import("../../services/web/client/messages/types.js").Game} Game */

const { address, folder, story } = instructions();
const QUICK = { trySeconds: 1, totalSeconds: 2, pauseSecondsMin: 0.01, pauseSecondsMax: 0.05 };

const ann = new Client(address, { seats: new FileSeatKeeper(folder), patience: QUICK });
const bob = new Client(address);
const again = () => new Client(address, { token: ann.token, seats: new FileSeatKeeper(folder), patience: QUICK });
const files = async () => (await readdir(folder).catch(() => [])).filter((name) => !name.endsWith(".receipts")).length;
const links = () => ask("links");

/** A game of the two in which Ann is to open. */
async function dealt({ rulebook = "bidding-track", diceEach = 5, signMoves = false } = {}) {
  const table = await ann.create(rulebook, { options: { opener: 0, diceEach }, seats: 2, signMoves });
  await bob.join(table.gameId);
  await table.start();
  await seen(table, ({ view }) => view.phase === "bidding");
  return table;
}

/** @param {Table} table @param {(game: Game) => boolean} what @returns {Promise<Game>} */
async function seen(table, what) {
  for await (const { game } of table.watch()) if (what(game)) return game;
  throw new Error("it was never seen");
}

/** @param {Table} table */
async function ownDice(table) {
  const { view } = await table.game();
  return view.seats[view.viewer ?? -1]?.hidden ?? [];
}

/** @type {Record<string, () => Promise<void>>} */
const STORIES = {
  async rerollsTakeTheirLinks() {
    const table = await dealt({ signMoves: true });
    const first = await table.bid(1, 2, { show: (await ownDice(table)).slice(0, 1) });
    await bob.table(table.gameId).bid(2, 2);
    await table.bid(3, 2);
    const second = await table.showAndReroll((await ownDice(table)).slice(0, 1));
    await bob.table(table.gameId).challenge();

    assert.deepEqual(first.events.map(({ type }) => type), ["BidPlaced", "DiceRerolled"]);
    assert.equal(second.events[0]?.type, "DiceRerolled");
    assert.equal((await table.checkDice()).deals, 3);
  },

  async forbiddenRerollsCostNoLink() {
    const table = await dealt();
    const [dice, { version }, before] = [await ownDice(table), await table.game(), await links()];
    const show = dice.slice(0, 1);
    const missing = [1, 2, 3, 4, 5, 6].find((face) => !dice.includes(face)) ?? 0;

    await assert.rejects(table.bid(0, 2, { show }), { reason: "QUANTITY_OUT_OF_RANGE" });
    await assert.rejects(table.bid(1, 2, { show: dice }), { reason: "TOO_FEW_HIDDEN_DICE" });
    await assert.rejects(table.bid(1, 2, { show: [missing] }), { reason: "DICE_NOT_IN_CUP" });
    await assert.rejects(table.bid(1, 2, { show, expectedVersion: version - 1 }), { reason: "VERSION_MOVED" });
    await assert.rejects(table.showAndReroll(show), { reason: "NOT_YOUR_BID" });
    assert.equal(await links(), before);
    await table.bid(1, 2, { show, expectedVersion: version });
    assert.equal(await links(), before + 1);
    await assert.rejects(bob.table(table.gameId).bid(1, 2), ({ lowestBids, reason }) => {
      assert.deepEqual([reason, lowestBids.length], ["BID_NOT_HIGHER", 6]);
      return true;
    });
  },

  async unansweredRerollsAreTheLastOfTheirRound() {
    const table = await dealt({ diceEach: 10 });
    const show = (await ownDice(table)).slice(0, 1);
    const [open, elsewhere] = [again(), again().table(table.gameId)];
    await elsewhere.checkDice(); // Another page with the same seat, which was open before.
    await ask("deaf", "PlaceBid");
    await assert.rejects(table.bid(1, 2, { show }), Unreachable);
    await pause(1_000); // The last try may still be on its way.
    await ask("deaf", "");
    const before = await links();

    for (const one of [table, open.table(table.gameId), elsewhere]) {
      await assert.rejects(one.bid(1, 2, { show }), (error) => error instanceof KeptBack && error.reason === "REROLL_KEPT_BACK");
    }
    assert.equal(await links(), before);
    await table.bid(7, 2); // So near to the truth that nobody loses all dice.
    await bob.table(table.gameId).challenge();
    const { view } = await seen(table, (game) => game.view.phase === "bidding" && game.view.bids.length === 0);
    if (view.viewer === null || !view.waiting.includes(view.viewer)) await bob.table(table.gameId).bid(1, 2);
    await table.bid(2, 3, { show: (await ownDice(table)).slice(0, 1) }); // In the next round there may be one again.
  },

  async twoPagesThatRerollAtOnceSendOneLink() {
    const table = await dealt();
    const other = again().table(table.gameId);
    await other.checkDice();
    const [before, show] = [await links(), (await ownDice(table)).slice(0, 1)];
    const outcomes = await Promise.allSettled([table, other].map((one) => one.bid(1, 2, { show })));

    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal(await links(), before + 1);
  },

  async staleMovesAreSignedAnew() {
    const table = await dealt({ rulebook: "single-hand", signMoves: true });
    const opened = await table.bid(1, 2);
    await bob.table(table.gameId).bid(2, 2);

    await assert.rejects(table.bid(3, 2, { expectedVersion: opened.version }), { reason: "VERSION_MOVED" });
    assert.equal((await table.bid(3, 2)).version, opened.version + 2);
    await bob.table(table.gameId).bid(4, 2);
    await table.forfeit();
  },

  async whoKeepsTheChain() {
    const tables = [
      await bob.create("pirates"),
      await bob.create("pirates", { ownChain: true }),
      await ann.create("pirates"),
      await ann.create("pirates", { ownChain: false }),
    ];
    const games = await Promise.all(tables.map((table) => table.game()));

    assert.deepEqual(games.map(({ view }) => view.seats[0]?.chainHeldBy), ["server", "player", "player", "server"]);
    assert.deepEqual(await Promise.all(tables.map((table) => table.keepsChain())), [false, true, true, false]);
    assert.equal(await files(), 1);
    await assert.rejects(bob.create("pirates", { ownChain: false, signMoves: true }), TypeError);
  },

  async seatsThatAreRefusedOrGivenBackLeaveNothing() {
    const closed = await bob.create("pirates", { private: true });
    const full = await bob.create("pirates", { seats: 2 });
    await full.addBot();
    await assert.rejects(ann.join(closed.gameId), { reason: "INVITATION_WRONG" });
    await assert.rejects(ann.join(full.gameId), { reason: "TABLE_FULL" });
    assert.equal(await files(), 0);

    const code = (await closed.game()).invitationCode;
    const table = await ann.join(closed.gameId, { code });
    assert.equal(await files(), 1);
    await assert.rejects(ann.join(closed.gameId, { code }), { reason: "PLAYER_ALREADY_SEATED" });
    assert.equal(await files(), 1, "the chain of the seat is not touched by a second try");
    await table.leave();
    assert.equal(await files(), 0);
  },

  async rematchesAreAsSafeAsTheGameBefore() {
    const table = await ann.create("pirates", { private: true, seats: 2, signMoves: true });
    await bob.join(table.gameId, { code: (await table.game()).invitationCode });
    await table.start();
    await table.forfeit();
    await seen(table, ({ view }) => view.phase === "ended");
    assert.equal(await files(), 0);

    const rematch = await table.rematch();
    const other = await bob.table(table.gameId).rematch();
    const { view } = await rematch.game();
    assert.deepEqual(view.seats.map(({ chainHeldBy, name }) => [name, chainHeldBy]), [["Ann", "player"], ["Bob", "server"]]);
    assert.equal(other.gameId, rematch.gameId);
    await rematch.start();
    await seen(rematch, (game) => game.view.phase === "bidding");
    assert.equal((await rematch.forfeit()).events[0]?.type, "CupsLifted");
  },

  async twoClientsOfOneSeatDoNotMindEachOther() {
    const table = await ann.create("prediction-track", { options: { diceEach: 3 }, signMoves: true });
    await table.addBot("bluffing");
    await table.start();
    await Promise.all([table, again().table(table.gameId)].map(playToTheEnd));
    assert.equal(await files(), 0);
  },

  async linksThatWereNotTakenAreSentAgain() {
    await ask("deaf", "Roll");
    const table = await ann.create("pirates", { options: { diceEach: 2 } });
    await table.addBot("cautious");
    await table.start();
    const stop = new AbortController();
    const rolling = (async () => {
      for await (const _ of table.watch({ signal: stop.signal }));
    })();
    while ((await links()) < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort();
    await rolling;
    assert.equal(await ask("different links"), 1);

    await pause(1_000); // The last try may still be on its way.
    await ask("deaf", "");
    const before = await links();
    await playToTheEnd(again().table(table.gameId));
    assert.equal(await ask("different links"), (await links()) - before, "the first one again, and then others");
  },

  async anybodyMayStopWatchingAndHearOfTheRematch() {
    const table = await dealt({ rulebook: "single-hand" });
    const stop = new AbortController();
    const watching = (async () => {
      for await (const { rematchId } of table.watch({ signal: stop.signal, pastEnd: true })) if (rematchId) return rematchId;
      return null;
    })();
    await table.forfeit();
    const { gameId } = await bob.table(table.gameId).rematch();
    assert.equal(await watching, gameId);
  },
};

run(async () => {
  await ann.register("Ann");
  await bob.register("Bob");
  await STORIES[story]?.();
});
