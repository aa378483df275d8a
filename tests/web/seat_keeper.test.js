/** Keepers of seats: what they keep is there after a restart, for its owner alone, and never shows. */

import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { test } from "node:test";
import { FileSeatKeeper, FileTokenStore, MemorySeatKeeper, MemoryTokenStore } from "../../services/web/client/node.js";
import { Seat } from "../../services/web/client/seats/seat.js";
import { Connection } from "../../services/web/client/transport/connection.js";

const KEPT = {
  server: "http://h:1",
  playerId: "ann",
  gameId: "g",
  length: 70,
  seed: new Uint8Array(32).fill(0x73),
  signingKey: new Uint8Array(32).fill(0x6b),
  sent: null,
};

/** @param {number} number */
const sent = (number) => ({ number, version: 3 * number, told: Buffer.alloc(32, number).toString("base64") });

/** @param {(folder: string) => Promise<void>} story */
async function withFolder(story) {
  const folder = await mkdtemp(join(tmpdir(), "seats-"));
  try {
    await story(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("secrets are kept by server, player and game, for the owner alone", () =>
  withFolder(async (folder) => {
    const deep = join(folder, "deep", "seats");
    await new FileSeatKeeper(deep).keep(KEPT);
    const again = new FileSeatKeeper(deep);

    assert.deepEqual(await again.find(KEPT), KEPT);
    for (const other of [{ server: "http://h:2" }, { playerId: "bob" }, { gameId: "h" }]) {
      assert.equal(await again.find({ ...KEPT, ...other }), null);
    }
    await again.note(KEPT, sent(1));
    assert.equal((await stat(deep)).mode & 0o777, 0o700);
    for (const name of await readdir(deep)) assert.equal((await stat(join(deep, name))).mode & 0o777, 0o600);
  }));

test("receipts are kept in order, and stay when the secrets are forgotten", () =>
  withFolder(async (folder) => {
    for (const keeper of [new FileSeatKeeper(folder), new MemorySeatKeeper()]) {
      assert.deepEqual(await keeper.receipts(KEPT), []);
      await keeper.keep(KEPT);
      await keeper.addReceipt(KEPT, "AAAA");
      await keeper.keep(KEPT);
      await keeper.addReceipt(KEPT, "BBBB");
      await keeper.forget(KEPT);

      assert.equal(await keeper.find(KEPT), null);
      assert.deepEqual(await keeper.receipts(KEPT), ["AAAA", "BBBB"]);
    }
    const [name] = await readdir(folder);
    assert.equal((await stat(join(folder, String(name)))).mode & 0o777, 0o600);
    assert.match(await readFile(join(folder, String(name)), "utf8"), /^liarsdice\.receipts\.v1\n[^\n]+\nAAAA\nBBBB\n$/u);
  }));

test("a keeper in memory does the same", async () => {
  const keeper = new MemorySeatKeeper();
  await keeper.keep(KEPT);

  assert.equal(await keeper.note(KEPT, sent(4)), null);
  assert.deepEqual(await keeper.note(KEPT, sent(3)), sent(4));
  assert.deepEqual(await keeper.find(KEPT), { ...KEPT, sent: sent(4) });
  await keeper.forget(KEPT);
  assert.equal(await keeper.find(KEPT), null);
});

test("the highest link that was sent is remembered, whoever sent it, and each number is new to one of them only", () =>
  withFolder(async (folder) => {
    const keepers = Array.from({ length: 4 }, () => new FileSeatKeeper(folder));
    await keepers[0]?.keep(KEPT);
    for (const number of [2, 5, 9]) {
      const before = await Promise.all(keepers.map((keeper) => keeper.note(KEPT, sent(number))));

      assert.equal(before.filter((one) => one === null || one.number < number).length, 1);
      assert.equal(before.filter((one) => one?.number === number).length, 3);
    }
    assert.deepEqual(await keepers[1]?.note(KEPT, sent(7)), sent(9));
    assert.deepEqual(await keepers[2]?.find(KEPT), { ...KEPT, sent: sent(9) });
  }));

test("a seat that is forgotten, or taken anew, leaves nothing behind", () =>
  withFolder(async (folder) => {
    const keeper = new FileSeatKeeper(folder);
    await keeper.keep(KEPT);
    await keeper.note(KEPT, sent(3));
    await keeper.keep({ ...KEPT, signingKey: null });
    assert.deepEqual(await keeper.find(KEPT), { ...KEPT, signingKey: null });
    await keeper.forget(KEPT);
    await keeper.forget(KEPT);

    assert.deepEqual(await readdir(folder), []);
  }));

test("a damaged file is refused with its name and without its secrets", () =>
  withFolder(async (folder) => {
    const keeper = new FileSeatKeeper(folder);
    /** @type {((text: string) => string)[]} */
    const damages = [
      () => "",
      (text) => text.slice(0, -20),
      (text) => text.replace('"length": 70', '"length": 0'),
      (text) => text.replace('"seed"', '"sead"'),
      (text) => text.replace('"g"', '"h"'),
      (text) => text.replace(/"seed": "[^"]+"/, '"seed": "c2hvcnQ="'),
      (text) => text.replaceAll("}", ""),
    ];
    for (const damage of damages) {
      await keeper.keep(KEPT);
      const [name] = await readdir(folder);
      const path = join(folder, name ?? "");
      await writeFile(path, damage(await readFile(path, "utf8")));
      const error = await keeper.find(KEPT).catch((one) => one);

      assert(error instanceof Error && error.message.includes(path));
      assert(!inspect(error).includes("c3Nz"));
    }
    await keeper.keep(KEPT);
    await keeper.note(KEPT, sent(3));
    const [note] = (await readdir(folder)).filter((name) => name.includes(".sent-"));
    await writeFile(join(folder, note ?? ""), "{}");
    await assert.rejects(keeper.find(KEPT), /damaged/);
  }));

test("secrets never show when somebody prints a seat or its keeper", async () => {
  const keeper = new MemorySeatKeeper();
  await keeper.keep(KEPT);
  const seat = await Seat.from(new Connection(KEPT.server, { token: "secret-token" }), keeper, KEPT);

  for (const shown of [keeper, seat, seat.kept, new Connection("h", { token: "secret-token" })]) {
    const texts = [inspect(shown, { depth: 9, showHidden: true }), JSON.stringify(shown)];
    for (const text of texts) assert(!/115|c3Nz|7373|sss|107|a2tr|secret-token/.test(text), text);
  }
});

test("tokens are kept by server and name, in a file for the owner alone", () =>
  withFolder(async (folder) => {
    const path = join(folder, "deep", "tokens.json");
    for (const [writing, reading] of [
      [new FileTokenStore(path), new FileTokenStore(path)],
      ...[new MemoryTokenStore()].map((one) => [one, one]),
    ]) {
      assert(writing !== undefined && reading !== undefined);
      await writing.keep("h", "Ann", "a");
      await writing.keep("h", "Bob", "b");
      await writing.keep("i", "Ann", "c");
      await writing.keep("h", "Bob", null);

      assert.deepEqual(await Promise.all([reading.find("h", "Ann"), reading.find("h", "Bob"), reading.find("i", "Ann")]), ["a", null, "c"]);
    }
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    await writeFile(path, '{"h": {"Ann": "secret');
    await assert.rejects(new FileTokenStore(path).find("h", "Ann"), (error) => !inspect(error).includes("secret"));
  }));
