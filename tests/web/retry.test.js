/** Calls and streams over a network that fails: what is tried again, with which request, and what is not. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Refused, Unreachable } from "../../services/web/client/index.js";
import { answers, breaksOff, hangsUp, refuses, saysNothing, streams, tells, withServer } from "./fake_server.js";

const QUICK = { trySeconds: 0.3, totalSeconds: 2, pauseSecondsMin: 0.01, pauseSecondsMax: 0.02, silenceSeconds: 0.2 };
const DONE = answers({ result: { version: "7" } });
const RETRY = { type: "google.rpc.RetryInfo", debug: { retryDelay: "0.3s" } };

/** @param {string} address */
const client = (address, patience = {}) => new Client(address, { token: "secret", patience: { ...QUICK, ...patience } });

test("a call is a POST with JSON, the token, the protocol's version and a deadline", async () => {
  await withServer([DONE], async (address, asked) => {
    const done = await client(`${address}/`).table("g").bid(2, 5, { expectedVersion: 6 });

    assert.deepEqual([done.version, done.events, done.repeatedAnswer], [7, [], false]);
    const [{ body, headers, path }] = /** @type {[any]} */ (asked);
    assert.equal(path, "/liarsdice.v1.GameService/PlaceBid");
    assert.deepEqual({ ...body, requestId: "" }, { requestId: "", gameId: "g", expectedVersion: 6, quantity: 2, face: 5 });
    assert.deepEqual([headers["content-type"], headers["connect-protocol-version"]], ["application/json", "1"]);
    assert.equal(headers.authorization, "Bearer secret");
    assert.equal(headers["connect-timeout-ms"], "300");
  });
});

test("a call without an answer is made again with the same request, and so with the same request id", async () => {
  const faults = [refuses(503, "unavailable"), hangsUp, breaksOff, saysNothing, refuses(504, "deadline_exceeded")];
  await withServer([...faults, DONE], async (address, asked) => {
    assert.equal((await client(address).table("g").challenge()).version, 7);

    assert.equal(asked.length, faults.length + 1);
    assert.equal(new Set(asked.map(({ text }) => text)).size, 1);
  });
});

test("two commands have different request ids", async () => {
  await withServer([DONE], async (address, asked) => {
    const table = client(address).table("g");
    await table.challenge();
    await table.challenge();

    assert.equal(new Set(asked.map(({ body }) => body.requestId)).size, 2);
  });
});

test("pauses grow from try to try", async () => {
  await withServer([refuses(503, "unavailable")], async (address, asked) => {
    const patient = client(address, { pauseSecondsMin: 0.05, pauseSecondsMax: 0.4, totalSeconds: 1 });
    await assert.rejects(patient.player(), Unreachable);

    // With pauses of 25 ms at the least it would be 40 tries; growing to 400 ms, a second has at most eight.
    assert(asked.length >= 3 && asked.length <= 9, `${asked.length} tries`);
  });
});

test("a server that stays away is unreachable once the patience is over", async () => {
  await withServer([hangsUp], async (address) => {
    const failure = await client(address, { totalSeconds: 0.2 }).player().catch((error) => error);

    assert(failure instanceof Unreachable);
    assert.equal(failure.message, `the server at ${address} does not answer`);
    assert(failure.last.unanswered);
  });
});

test("a limit is kept as long as the server asks for, and one without a time is final", async () => {
  await withServer([refuses(429, "resource_exhausted", [RETRY]), DONE], async (address, asked) => {
    const began = performance.now();
    await client(address).table("g").challenge();

    assert(performance.now() - began >= 300);
    assert.equal(asked.length, 2);
  });
  await withServer([refuses(429, "resource_exhausted")], async (address, asked) => {
    await assert.rejects(client(address).table("g").challenge(), { code: "resource_exhausted" });

    assert.equal(asked.length, 1);
  });
  await withServer([refuses(429, "resource_exhausted", [{ ...RETRY, debug: { retryDelay: "60s" } }])], async (address) => {
    await assert.rejects(client(address).table("g").challenge(), Refused, "the refusal says more than that nobody answered");
  });
});

test("no other refusal is tried again", async () => {
  for (const code of ["failed_precondition", "aborted", "not_found", "internal", "unauthenticated", "invalid_argument"]) {
    await withServer([refuses(400, code)], async (address, asked) => {
      await assert.rejects(client(address).table("g").challenge(), { name: "Refused", code });

      assert.equal(asked.length, 1);
    });
  }
});

test("what has no request id is never made twice, except after a limit, which did nothing", async () => {
  const risky = [
    (/** @type {Client} */ one) => one.register("Ann"),
    (/** @type {Client} */ one) => one.rotateToken(),
    (/** @type {Client} */ one) => one.revokeToken(),
  ];
  for (const call of risky) {
    await withServer([hangsUp, answers({})], async (address, asked) => {
      await assert.rejects(call(client(address)), { code: "unavailable" });

      assert.equal(asked.length, 1);
    });
  }
  await withServer([refuses(429, "resource_exhausted", [RETRY]), answers({ player: { playerId: "p", name: "Ann" }, token: "t" })], async (address) => {
    const ann = client(address);

    assert.deepEqual(await ann.register("Ann"), { playerId: "p", name: "Ann", scopes: [] });
    assert.equal(ann.token, "t");
  });
});

/** @param {number} version */
const game = (version, phase = "PHASE_BIDDING") => ({ version: String(version), view: { gameId: "g", phase } });
/** @param {number} first @param {number} last */
const update = (first, last, phase = "PHASE_BIDDING") => ({
  update: {
    gameId: "g",
    version: String(last),
    events: Array.from({ length: last - first + 1 }, (_, index) => ({ version: String(first + index), turnTimedOut: {} })),
    game: game(last, phase),
  },
});
const END = "PHASE_ENDED";

/** The versions that a client gets, which requests brought them, and what it was told about the line.
 * @param {import("./fake_server.js").Answer[]} scripted @param {object} [watching] */
async function watched(scripted, watching = {}) {
  return withServer(scripted, async (address, asked) => {
    /** @type {number[]} */
    const versions = [];
    /** @type {boolean[]} */
    const line = [];
    const onConnection = (/** @type {boolean} */ connected) => line.push(connected);
    for await (const { events } of client(address).table("g").watch({ onConnection, ...watching })) {
      versions.push(...events.map(({ version }) => version));
    }
    return { versions, line, after: asked.map(({ body }) => body.afterVersion) };
  });
}

test("a stream that breaks in any way is resumed after the last version, without a gap and without a duplicate", async () => {
  const first = [{ snapshot: game(3) }, update(4, 5)];
  const broken = [
    streams(first, "cut"),
    streams(first, {}),
    streams(first, "open"), // It falls silent.
    streams(first, { error: { code: "unavailable", message: "going down" } }),
    streams(first, { error: { code: "resource_exhausted", message: "slow", details: [{ type: "google.rpc.ErrorInfo", debug: { reason: "WATCHER_TOO_SLOW" } }] } }),
    streams([...first, { heartbeat: { version: "6" } }], "open"), // It has left out an event.
    streams([...first, update(7, 7)], "open"), // So has this one.
  ];
  for (const one of broken) {
    const { after, line, versions } = await watched([one, streams([update(5, 7), update(7, 8, END)], "open")]);

    assert.deepEqual(versions, [4, 5, 6, 7, 8]);
    assert.deepEqual(after, [undefined, "5"]);
    assert.deepEqual(line, [true, false, true]);
  }
});

test("a server that is away when a stream is resumed is waited for, however long", async () => {
  const away = Array(5).fill(refuses(503, "unavailable"));
  const { after, versions } = await watched([streams([update(1, 2)], "cut"), ...away, hangsUp, streams([update(3, 3, END)], "open")], { after: 0 });

  assert.deepEqual(versions, [1, 2, 3]);
  assert.deepEqual(after, ["0", ...Array(7).fill("2")]);
});

test("heartbeats keep a silent stream alive", async () => {
  /** @type {import("./fake_server.js").Answer} */
  const beating = (response, asked) => {
    streams([{ snapshot: game(1) }], "open")(response, asked);
    const beats = setInterval(() => tells(response, [{ heartbeat: { version: "1" } }]), 60);
    setTimeout(() => {
      clearInterval(beats);
      tells(response, [update(2, 2, END)]);
    }, 700);
  };
  const { after, versions } = await watched([beating]);

  assert.deepEqual(versions, [2]);
  assert.equal(after.length, 1);
});

test("a stream that the server refuses ends with its reason", async () => {
  const details = [{ type: "google.rpc.ErrorInfo", debug: { reason: "GAME_PRIVATE" } }];
  const refusal = { code: "permission_denied", reason: "GAME_PRIVATE" };

  await assert.rejects(watched([refuses(403, "permission_denied", details)]), refusal);
  await assert.rejects(watched([streams([], { error: { code: "permission_denied", message: "no", details } })]), refusal);
});

test("whoever watches can stop at any time", async () => {
  await withServer([streams([{ snapshot: game(1) }], "open")], async (address) => {
    const stop = new AbortController();
    const stream = client(address, { silenceSeconds: 30 }).table("g").watch({ signal: stop.signal });
    assert.equal((await stream.next()).done, false);
    const next = stream.next();
    setTimeout(() => stop.abort(), 20);

    assert.deepEqual(await next, { value: undefined, done: true });
  });
});

test("an answer that is not what the contract says is refused", async () => {
  await withServer([answers({ result: { version: "seven" } })], async (address) => {
    await assert.rejects(client(address).table("g").challenge(), { reason: "ANSWER_MALFORMED" });
  });
});
