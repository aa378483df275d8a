/** The page's verifier by itself: its hashes, the published vectors, its words, and that no input breaks it. */

import assert from "node:assert/strict";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { lowestBid, problemWith } from "../../services/web/page/verifier/bids.js";
import { bookOf, callsOfRound, chainLength } from "../../services/web/page/verifier/books.js";
import { fromBase64 } from "../../services/web/page/verifier/bytes.js";
import { Chains } from "../../services/web/page/verifier/chains.js";
import { Deals, drawn, handOf, keyOf } from "../../services/web/page/verifier/deals.js";
import { ALL_CHECKS, BUNDLE_BYTES_MAX, CHECKS, verify } from "../../services/web/page/verifier/index.js";
import { sentence } from "../../services/web/page/verifier/sentence.js";
import { hmac, sha256 } from "../../services/web/page/verifier/sha256.js";
import { GERMAN } from "../../services/web/page/verifier/words.de.js";
import { ENGLISH } from "../../services/web/page/verifier/words.en.js";
import { SPANISH } from "../../services/web/page/verifier/words.es.js";

const VECTORS = JSON.parse(readFileSync(new URL("../../docs/reference/fair-dice-vectors.json", import.meta.url), "utf8"));
const FOLDER = new URL("../../services/web/page/verifier/", import.meta.url);
const MODULES = readdirSync(FOLDER).filter((name) => name.endsWith(".js"));
/** @param {string} name */
const sourceOf = (name) => readFileSync(new URL(name, FOLDER), "utf8");

/** @param {string} hex */
const bytes = (hex) => new Uint8Array(Buffer.from(hex, "hex"));
/** @param {Uint8Array} raw */
const hex = (raw) => Buffer.from(raw).toString("hex");
/** @param {Uint8Array} raw */
const base64 = (raw) => Buffer.from(raw).toString("base64");
/** @param {string} id */
const book = (id) => bookOf(id, 1) ?? assert.fail(id);

test("hashes are those of Node at every length around a block", () => {
  for (let length = 0; length < 200; length += 1) {
    const [message, key] = [randomBytes(length), randomBytes(length % 65)];
    assert.equal(hex(sha256(message)), createHash("sha256").update(message).digest("hex"));
    assert.equal(hex(hmac(key, message)), createHmac("sha256", key).update(message).digest("hex"));
  }
});

test("base64 has one spelling", () => {
  assert.deepEqual(fromBase64("AAAA"), new Uint8Array(3));
  for (const text of ["AAAB=", "AAB=", "AA", "AA=A", "AA-_", "AAA=\n", "AA==AAAA"]) assert.equal(fromBase64(text), null, text);
});

test("the published links lead to their anchor, and to nothing else", () => {
  const { anchor, game_id, length, links } = VECTORS.chain;
  for (const { link, number } of links.filter((/** @type {any} */ { number }) => number > 0)) {
    const chains = new Chains(game_id, length, bytes(anchor), [bytes(anchor)]);
    assert.throws(() => chains.revealedByServer(base64(bytes(link)), number + 1));
    chains.revealedBySeat(0, base64(bytes(link)), number);
    assert.throws(() => chains.revealedBySeat(0, base64(bytes(link)), number));
  }
});

test("the published deal and the reroll after it are made from the links", () => {
  const { anchors, game_id, server_anchor, transcript } = VECTORS.transcript;
  const deals = new Deals(game_id, bytes(server_anchor), anchors.map(bytes));
  assert.equal(hex(deals.next(1, []).transcript), transcript);
  for (const { hands, key, links, number, server_link, transcript } of [VECTORS.deal, VECTORS.reroll]) {
    const seatLinks = links.map((/** @type {any} */ { link, seat }) => [seat, bytes(link)]);
    const made = keyOf({ number, transcript: bytes(transcript), links: seatLinks }, bytes(server_link));
    assert.equal(hex(made), key);
    for (const { dice, seat } of hands) assert.deepEqual(handOf(made, seat, dice.length), dice);
  }
  for (const { dice, seat } of VECTORS.skipped.hands) assert.deepEqual(handOf(bytes(VECTORS.skipped.key), seat, dice.length), dice);
  for (const { drawn: seat, key, seats } of VECTORS.openers) assert.equal(drawn(bytes(key), seats), seat);
});

test("chains are as long, and rounds set aside as many numbers, as published", () => {
  for (const { dice_each, length, rulebook, seats } of VECTORS.chain_lengths) assert.equal(chainLength(book(rulebook), seats, dice_each), length);
  for (const { calls, dice_counts, rulebook } of VECTORS.calls) assert.equal(callsOfRound(book(rulebook), dice_counts), calls);
  assert.equal(bookOf("toString", 1), null);
});

test("of four 3s on the track the raises are those of the book's figure (BT-8, BT-9, BT-10)", () => {
  const bidding = { book: book("bidding-track"), raiseRule: /** @type {const} */ ("quantity_or_face"), palafico: false, standing: { quantity: 4, face: 3 } };
  for (const [quantity, face] of [[4, 4], [5, 2], [3, 1], [6, 6]]) assert.equal(problemWith({ quantity: quantity ?? 0, face: face ?? 0 }, bidding), null);
  for (const [quantity, face] of [[4, 3], [4, 2], [3, 6], [2, 1]]) assert.equal(problemWith({ quantity: quantity ?? 0, face: face ?? 0 }, bidding), "not-higher");
});

test("the lowest bid is the nearest on the track, and elsewhere the one with the fewest dice", () => {
  const cases = /** @type {const} */ ([
    ["bidding-track", "quantity_or_face", [1, 6], [1, 1]],
    ["bidding-track", "quantity_or_face", [3, 1], [6, 2]],
    ["single-hand", "same_face_or_higher_face", [7, 5], [1, 6]],
    ["single-hand", "beat_the_higher_number", [1, 6], [7, 1]],
    ["pirates", "quantity_or_face", [2, 6], [3, 2]],
    ["single-hand", "quantity_or_face", [1000, 6], null],
  ]);
  for (const [id, raiseRule, [quantity, face], lowest] of cases) {
    const found = lowestBid({ book: book(id), raiseRule, palafico: false, standing: { quantity, face } });
    assert.deepEqual(found && [found.quantity, found.face], lowest, id);
  }
});

test("whatever the input is, the report says what is wrong with it", async () => {
  const texts = ["", "\n", "{}\n", "[]\n", "null\n", '{"a":1,"a":1}\n', "\ufeff{}\n", "NaN\n", "1e3\n", '"\\ud800"\n', "[".repeat(200_000), '{"a":'.repeat(100_000), "9".repeat(10_000)];
  const inputs = [...texts.map((text) => new TextEncoder().encode(text)), Uint8Array.of(0xff, 0xfe), new Uint8Array(BUNDLE_BYTES_MAX + 1), /** @type {any} */ (null), /** @type {any} */ ("text")];
  for (const input of inputs) {
    const seen = /** @type {string[]} */ ([]);
    const { checks, verdict } = await verify(input, { onCheck: ({ name }) => seen.push(name) });
    assert.equal(verdict, "failed");
    assert.deepEqual(seen, [...CHECKS]);
    assert.equal(checks[0]?.status, "failed");
    assert(!checks[0]?.meaning.includes("program-error"), checks[0]?.meaning);
  }
});

test("there is a sentence for everything that a report can say", () => {
  const code = MODULES.filter((name) => !name.startsWith("words.")).map(sourceOf).join("\n");
  const check = ALL_CHECKS.join("|");
  const reasons = [...code.matchAll(new RegExp(`(?:need\\(.*|Failure\\(|Undecided\\()\\s*"(?:${check})", "([a-z0-9-]+)"`, "g"))].map(([, reason]) => `reason.${reason}`);
  const bids = [...sourceOf("bids.js").matchAll(/return "([a-z-]+)"; \/\/|\? "([a-z-]+)" : null|null : "([a-z-]+)"/g)].map((found) => `reason.${found[1] ?? found[2] ?? found[3]}`);
  const clauses = [...code.matchAll(/"((?:BT|SH|PI|PT|PA|R)-?\d+)"/g)].map(([, clause]) => `clause.${clause}`);
  const states = [...sourceOf("statements.js").matchAll(/statement\("([a-z-]+)", "([a-z-]+)"/g)].flatMap(([, name, status]) => [`${name}.${status}`, `check.${name}`]);
  const checks = ALL_CHECKS.flatMap((name) => [`check.${name}`, `${name}.proven`, `${name}.not-reached`]);

  assert(reasons.length > 50 && bids.length > 4 && states.length > 10);
  // Nobody bids skulls, so no report names that clause.
  const needed = new Set([...reasons, ...bids, ...clauses, ...states, ...checks].filter((key) => key !== "clause.PI-6"));
  assert.deepEqual([...needed].filter((key) => !Object.hasOwn(ENGLISH.sentences, key)), []);
});

test("every language has the same sentences, with the same blanks and forms", () => {
  const blanks = (/** @type {string} */ text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
  for (const { language, sentences } of [GERMAN, SPANISH]) {
    assert.deepEqual(Object.keys(sentences), Object.keys(ENGLISH.sentences), language);
    for (const [key, text] of Object.entries(ENGLISH.sentences)) {
      const other = sentences[key] ?? "";
      assert.equal(typeof other, typeof text, `${language} ${key}`);
      assert.deepEqual(blanks(JSON.stringify(other)), blanks(JSON.stringify(text)), `${language} ${key}`);
    }
  }
});

test("a sentence has its values, and the form of its number", () => {
  assert.equal(sentence(ENGLISH, "dice.proven", { count: 1 }), "1 die follows from the links.");
  assert.equal(sentence(ENGLISH, "dice.proven", { count: 34 }), "All 34 dice follow from the links.");
  assert.equal(sentence(ENGLISH, "no such key"), "no such key");
  assert.equal(sentence(ENGLISH, "reason.no-such-seat", { seat: "{seat}" }), "There is no seat {seat}.");
});

test("the folder needs nothing but itself, has no page in it, and its modules are short", () => {
  for (const name of MODULES) {
    const source = sourceOf(name);
    const imported = [...source.matchAll(/^import .* from "(.*)";$/gm)].map(([, from]) => from ?? "");
    assert(imported.every((from) => /^\.\/[a-z0-9_.]+\.js$/.test(from)), name);
    assert(source.startsWith("/**"), name);
    assert(!/\b(document|window|require)\b[.(]/.test(source), name);
    assert(source.split("\n").length <= 160, name);
  }
});
