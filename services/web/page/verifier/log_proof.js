/** The log: the leaf of the last event, and the proof that it is in the log (RFC 6962, section 2.1). */

/** @import {Bytes} from "./bytes.js" */
/** @import {Bundle} from "./bundle.js" */
import { joined, same, toBase64, utf8 } from "./bytes.js";
import { need } from "./failure.js";
import { sha256 } from "./sha256.js";

const ENDS_OF_A_GAME = ["game-ended", "game-abandoned"];

/** Check that the last event ends what the bundle is about. @param {Bundle} bundle */
export function checkLeaf({ events, round }) {
  const last = events.at(-1);
  const ends = round === null ? ENDS_OF_A_GAME.includes(last?.kind ?? "") : last?.kind === "round-ended" && last.fields.number === round;
  need(ends, "leaf", "ends-something-else", { round }, events.length);
}

/** The hash of the leaf of the last event, in today's form and in the first one.
 * @param {Bundle} bundle @param {Bytes[]} digests by version */
export function leafHashes({ events, gameId }, digests) {
  const { fields, kind, topic = "", version = 0 } = events.at(-1) ?? {};
  const ended = kind === "round-ended" ? `round ${fields?.number}` : "game";
  const places = [["liarsdice.version-place.v1", gameId, version], ["liarsdice.end-place.v1", gameId, ended]];
  const digest = toBase64(/** @type {Bytes} */ (digests[version]));
  return [
    ["liarsdice.leaf.v2", ...places.map((lines) => toBase64(sha256(textOf(lines)))), digest],
    ["liarsdice.leaf.v1", gameId, version, topic, digest],
  ].map((lines) => sha256(joined(Uint8Array.of(0), textOf(lines))));
}

/** A text of lines, each of which ends with a line feed. @param {(string | number)[]} lines */
function textOf(lines) {
  return utf8(lines.map((line) => `${line}\n`).join(""));
}

/** Check that a proof leads from one of these leaves to the root of a log of some size.
 * @param {Bundle} bundle @param {Bytes[]} leaves @param {bigint} size @param {Bytes} root */
export function checkInclusion({ leaf: index, proof }, leaves, size, root) {
  let [place, last] = [BigInt(index), size - 1n];
  need(place <= last, "inclusion", "leaf-beyond-the-log", { leaf: index, size: String(size) });
  let hashes = leaves;
  for (const sibling of proof) {
    need(last > 0n, "inclusion", "proof-too-long");
    if (place % 2n === 1n || place === last) {
      hashes = hashes.map((hash) => sha256(joined(Uint8Array.of(1), sibling, hash)));
      // Where the tree has no right side, the node goes up as it is until it is a right one.
      for (; place % 2n === 0n && place > 0n; last >>= 1n) place >>= 1n;
    } else {
      hashes = hashes.map((hash) => sha256(joined(Uint8Array.of(1), hash, sibling)));
    }
    place >>= 1n;
    last >>= 1n;
  }
  need(last === 0n, "inclusion", "proof-too-short");
  need(hashes.some((hash) => same(hash, root)), "inclusion", "another-root");
}
