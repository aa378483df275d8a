/** Moves are signed over exactly the text that the audit format asks for. */

import assert from "node:assert/strict";
import { createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import { Signer, newSigningKey, textToSign } from "../../services/web/client/seats/signer.js";

const COMMAND = { requestId: "r", gameId: "g-1" };
const LINK = new Uint8Array(32).fill(1);
const SEEN = { version: 12, digest: new Uint8Array(32).fill(2) };
const LINK_TEXT = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
const DIGEST_TEXT = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";

/** @type {[import("../../services/web/client/seats/move.js").Move, string][]} */
const LINES = [
  [{ method: "Roll", request: { ...COMMAND, link: LINK } }, `roll ${LINK_TEXT}`],
  [{ method: "PlaceBid", request: { ...COMMAND, quantity: 3, face: 5 } }, "bid 3 5"],
  [
    { method: "PlaceBid", request: { ...COMMAND, quantity: 3, face: 5, reroll: { shown: [5, 1], link: LINK } } },
    `bid 3 5 show 5,1 link ${LINK_TEXT}`,
  ],
  [{ method: "ShowAndReroll", request: { ...COMMAND, reroll: { shown: [6], link: LINK } } }, `show 6 link ${LINK_TEXT}`],
  [{ method: "Challenge", request: COMMAND }, "challenge"],
  [{ method: "Forfeit", request: COMMAND }, "forfeit"],
];

test("each move has its line", () => {
  for (const [move, line] of LINES) {
    assert.equal(textToSign(move, "g-1", 2, SEEN), `liarsdice.move.v1\ng-1\n12\n${DIGEST_TEXT}\n2\n${line}\n`);
  }
});

test("a signature holds for the public key and the text, and for no other", async () => {
  const signer = await Signer.from(newSigningKey());
  const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(signer.publicKey).toString("base64url") };
  const key = createPublicKey({ key: jwk, format: "jwk" });
  for (const [move] of LINES) {
    const { afterVersion, signature } = await signer.signature(move, "g-1", 2, SEEN);

    assert.equal(afterVersion, "12");
    assert.equal(verify(null, Buffer.from(textToSign(move, "g-1", 2, SEEN)), key, signature), true);
    assert.equal(verify(null, Buffer.from(textToSign(move, "g-1", 1, SEEN)), key, signature), false);
  }
});

test("the public key of a secret is that of RFC 8032", async () => {
  const secret = Uint8Array.from(Buffer.from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "hex"));

  assert.equal(
    Buffer.from((await Signer.from(secret)).publicKey).toString("hex"),
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
  );
});
