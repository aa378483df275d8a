/** Refusals are values: the reason, the clauses and the lowest bids can be read from them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused } from "../../services/web/client/index.js";
import { refusedBy } from "../../services/web/client/transport/refusal.js";

/** @param {Record<string, string>} metadata */
function refusal(metadata, reason = "BID_NOT_HIGHER") {
  const debug = { reason, domain: "liarsdice", metadata };
  const details = [{ type: "google.rpc.ErrorInfo", value: "CgE", debug }];
  return refusedBy({ code: "failed_precondition", message: "A bid of 1x2 does not raise 2x1.", details }, 400);
}

test("a refusal has its sentence, its reason, its values and its clauses", () => {
  const refused = refusal({ bid: "1x2", clauses: "BT-8, BT-9" });

  assert(refused instanceof Refused && refused instanceof Error);
  assert.equal(refused.message, "A bid of 1x2 does not raise 2x1.");
  assert.deepEqual([refused.code, refused.reason, refused.metadata.bid], ["failed_precondition", "BID_NOT_HIGHER", "1x2"]);
  assert.deepEqual(refused.clauses, ["BT-8", "BT-9"]);
  assert.equal(refused.passing, false);
});

test("the lowest bids are read, also where face 1 has a name", () => {
  const bids = [
    { quantity: 1, face: 1 },
    { quantity: 2, face: 3 },
    { quantity: 12, face: 2 },
  ];

  assert.deepEqual(refusal({ lowest: "1x star, 2x3, 12x2" }).lowestBids, bids);
  assert.deepEqual(refusal({ lowest: "1x1, 2x3, 12x2" }).lowestBids, bids);
  assert.deepEqual(refusal({ lowest: "none" }).lowestBids, []);
  assert.deepEqual(refusal({}).lowestBids, []);
});

test("a limit says when to come back, and one that does not say it is final", () => {
  const details = [{ type: "google.rpc.RetryInfo", debug: { retryDelay: "0.250s" } }];
  const limited = refusedBy({ code: "resource_exhausted", message: "too fast", details }, 429);

  assert.deepEqual([limited.retrySeconds, limited.limited, limited.passing], [0.25, true, true]);
  assert.equal(refusedBy({ code: "resource_exhausted", message: "too many tables" }, 429).passing, false);
});

test("an answer without readable details, or of a proxy, still is a refusal", () => {
  const details = [{ type: "google.rpc.ErrorInfo", value: "CgE" }, null, "?"];
  const bare = refusedBy({ code: "not_found", message: "no game", details }, 404);

  assert.deepEqual([bare.code, bare.message, bare.reason, bare.metadata], ["not_found", "no game", "", {}]);
  assert.deepEqual([502, 503, 504, 429].map((status) => refusedBy(null, status).code), Array(4).fill("unavailable"));
  assert.deepEqual([401, 403, 404, 418].map((status) => refusedBy("<html>", status).code), [
    "unauthenticated",
    "permission_denied",
    "unimplemented",
    "unknown",
  ]);
});
