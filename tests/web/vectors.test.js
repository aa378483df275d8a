/** The client's own dice are those of the published vectors, and a changed game is found out. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bookOf, callsOfRound, chainLength } from "../../services/web/client/fairness/books.js";
import { Chain } from "../../services/web/client/fairness/chain.js";
import { dealKey, drawn, firstTranscript, handOf, nextTranscript } from "../../services/web/client/fairness/derivation.js";
import { provenBy } from "../../services/web/client/fairness/spectator.js";
import { FalseServer } from "../../services/web/client/index.js";

const VECTORS = JSON.parse(readFileSync(new URL("../../docs/reference/fair-dice-vectors.json", import.meta.url), "utf8"));

/** @param {string} hex */
const bytes = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
/** @param {Uint8Array} raw */
const hex = (raw) => Buffer.from(raw).toString("hex");

test("a chain is that of its seed", async () => {
  const { anchor, game_id, length, links, seed } = VECTORS.chain;
  const chain = await Chain.from(bytes(seed), game_id, length);

  assert.equal(hex(chain.anchor), anchor);
  for (const { link, number } of links) assert.equal(hex(chain.link(number)), link);
  assert.throws(() => chain.link(length + 1), RangeError);
});

test("the first transcript is the hash of what was fixed before", async () => {
  const { anchors, game_id, server_anchor, transcript } = VECTORS.transcript;

  assert.equal(hex(await firstTranscript(game_id, bytes(server_anchor), anchors.map(bytes))), transcript);
});

for (const name of ["deal", "reroll"]) {
  test(`the links make the dice of the ${name}`, async () => {
    const { hands, key, links, next_transcript, number, server_link, transcript } = VECTORS[name];
    const seatLinks = links.map((/** @type {any} */ { link, seat }) => [seat, bytes(link)]);
    const made = await dealKey(bytes(transcript), number, bytes(server_link), seatLinks);

    assert.equal(hex(made), key);
    for (const { dice, seat } of hands) assert.deepEqual(await handOf(made, seat, dice.length), dice);
    assert.equal(hex(await nextTranscript(bytes(transcript), number, seatLinks)), next_transcript);
  });
}

test("a byte that would favour low faces is skipped", async () => {
  for (const { dice, seat } of VECTORS.skipped.hands) {
    assert.deepEqual(await handOf(bytes(VECTORS.skipped.key), seat, dice.length), dice);
  }
});

test("openers are drawn as published", async () => {
  for (const { drawn: seat, key, seats } of VECTORS.openers) assert.equal(await drawn(bytes(key), seats), seat);
});

test("chains are as long, and rounds set aside as many numbers, as each book says", () => {
  for (const { dice_each, length, rulebook, seats } of VECTORS.chain_lengths) {
    assert.equal(chainLength(book(rulebook), seats, dice_each), length);
  }
  for (const { calls, dice_counts, rulebook } of VECTORS.calls) assert.equal(callsOfRound(book(rulebook), dice_counts), calls);
  assert.equal(bookOf("pirates", 2), null);
  assert.equal(bookOf("toString", 1), null);
});

/** @param {string} id */
function book(id) {
  const found = bookOf(id, 1);
  assert(found !== null);
  return found;
}

/** The events of a published game as the client knows them. The vectors leave out what is not about dice. @param {any[]} published */
function eventsOf(published) {
  const players = published.filter(({ type }) => type === "PlayerJoined").length;
  const { dice_each } = published.find(({ type }) => type === "GameStarted");
  const events = published.flatMap((event) => {
    const own = { seats: players, options: { diceEach: dice_each }, ...camelCase(event) };
    if (event.type === "RollCalled") own.seats = event.seats;
    const opener = { opener: published.find(({ type }) => type === "OpenerChosen")?.seat ?? 0, serverLink: null, hands: [] };
    const told = { ...(event.type === "RoundStarted" && event.number === 1 ? opener : { opener: 0, serverLink: null, hands: [], hand: null }), ...own };
    return event.type === "DiceRerolled" ? [{ type: "BidPlaced", seat: event.seat, quantity: 1, face: 2 }, told] : [told];
  });
  return /** @type {any[]} */ (events.map((event, index) => ({ version: index + 1, ...event })));
}

/** @param {any} value @returns {any} */
function camelCase(value) {
  if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) return bytes(value);
  if (Array.isArray(value)) return value.map(camelCase);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, part]) => [name.replaceAll(/_(.)/g, (_, sign) => sign.toUpperCase()), camelCase(part)]);
  return Object.fromEntries(fields);
}

for (const [index, { events }] of VECTORS.games.entries()) {
  const gameId = events[0].game_id;

  test(`every link and die of the published game ${gameId} is proven`, async () => {
    const findings = await provenBy(gameId, eventsOf(events));
    const reveals = events.filter((/** @type {any} */ { type }) => type === "CupsLifted");
    const dealt = reveals.flatMap((/** @type {any} */ { deals }) => deals.flatMap((/** @type {any} */ { hands }) => hands.flat()));
    const opening = events.flatMap((/** @type {any} */ { rolls }) => (rolls ?? []).flatMap((/** @type {any} */ { dice }) => dice));
    const rolled = events.filter((/** @type {any} */ { type }) => type === "Rolled" || type === "DiceRerolled");

    assert.equal(findings.dice, dealt.length + opening.length);
    assert.equal(findings.links, rolled.length);
    assert.equal(findings.unrevealed, 0);
  });

  test(`no die, link, anchor, number or count of the published game ${index} can be changed`, async () => {
    let changed = 0;
    for (const change of changesOf(eventsOf(events))) {
      const told = eventsOf(events);
      change(told);
      await assert.rejects(provenBy(gameId, told), FalseServer);
      changed += 1;
    }
    assert(changed > 20);
  });
}

/** Ways to change one thing that matters in a game. @param {any[]} events @returns {((events: any[]) => void)[]} */
function changesOf(events) {
  const numbers = ["call", "calls", "lost", "rerolled", "number", "diceEach", "winner"];
  return events.flatMap((event, index) => [
    ...numbers.filter((name) => typeof event[name] === "number").map((name) => (/** @type {any[]} */ told) => (told[index][name] += 1)),
    ...["anchor", "link"].filter((name) => event[name]).map((name) => (/** @type {any[]} */ told) => (told[index][name][0] ^= 1)),
    ...(event.dice ?? []).flatMap((/** @type {number[]} */ hand, /** @type {number} */ seat) =>
      hand.map((face, die) => (/** @type {any[]} */ told) => (told[index].dice[seat][die] = 7 - face)),
    ),
    ...(event.deals ?? []).map((/** @type {any} */ _, /** @type {number} */ deal) => (/** @type {any[]} */ told) => (told[index].deals[deal].serverLink[0] ^= 1)),
    // Without one of its events a game is another one. The last may not have happened yet, and a roll may be void by a forfeit.
    ...(index < events.length - 1 && event.type !== "Rolled" ? [(/** @type {any[]} */ told) => told.splice(index, 1)] : []),
  ]);
}
