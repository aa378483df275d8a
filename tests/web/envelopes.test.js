/** Envelopes come out whole and in order, wherever the network cuts the bytes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { joined } from "../../services/web/client/bytes.js";
import { END_OF_STREAM, EnvelopeReader, enveloped } from "../../services/web/client/transport/envelopes.js";

const TEXTS = ["{}", '{"name":"Ann – Ásta 🎲"}', "", "x".repeat(300)];
const STREAM = joined(...TEXTS.map((text) => enveloped(text)), enveloped('{"metadata":{}}', END_OF_STREAM));
const ENVELOPES = [...TEXTS.map((text) => ({ flags: 0, text })), { flags: END_OF_STREAM, text: '{"metadata":{}}' }];

test("an envelope has its flags, four bytes of length and the text", () => {
  assert.deepEqual([...enveloped("{}", END_OF_STREAM)], [2, 0, 0, 0, 2, 0x7b, 0x7d]);
});

test("a stream that is cut in two at any byte has the same envelopes", () => {
  for (let cut = 0; cut <= STREAM.length; cut += 1) {
    const reader = new EnvelopeReader();
    assert.deepEqual([...reader.push(STREAM.subarray(0, cut)), ...reader.push(STREAM.subarray(cut))], ENVELOPES);
    assert.equal(reader.isCut, false);
  }
});

test("a stream that comes byte by byte has the same envelopes", () => {
  const reader = new EnvelopeReader();

  assert.deepEqual([...STREAM].flatMap((byte) => reader.push(Uint8Array.of(byte))), ENVELOPES);
});

test("what is missing of an envelope is waited for", () => {
  const reader = new EnvelopeReader();

  assert.deepEqual(reader.push(enveloped("{}").subarray(0, 6)), []);
  assert.equal(reader.isCut, true);
});

test("a length that no message has is refused before it is waited for", () => {
  assert.throws(() => new EnvelopeReader().push(Uint8Array.of(0, 255, 255, 255, 255)), RangeError);
});
