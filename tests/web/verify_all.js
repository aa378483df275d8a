/** Verifies bundles with the page's verifier: a line of JSON for each on standard input, its report on standard output. */

import { createInterface } from "node:readline";
import { verify } from "../../services/web/page/verifier/index.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { data, publicKey, receiptKeys, receipts, witnessKeys } = JSON.parse(line);
  const file = receipts === null ? null : new Uint8Array(Buffer.from(receipts, "base64"));
  const options = { witnessKeys, receipts: file, receiptKeys, ...(publicKey === null ? {} : { publicKey }) };
  console.log(JSON.stringify(await verify(new Uint8Array(Buffer.from(data, "base64")), options)));
}
