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
  need(BigInt(index) < size, "inclusion", "leaf-beyond-the-log", { leaf: index, size: String(size) });
  const roots = rootsOf(leaves, BigInt(index), size, proof);
  need(roots !== "too-long", "inclusion", "proof-too-long");
  need(roots !== "too-short", "inclusion", "proof-too-short");
  need(roots.some((hash) => same(hash, root)), "inclusion", "another-root");
}

/** The roots to which a proof leads from each of some leaves; why it is none for this index and size, if it has another length.
 * @param {Bytes[]} leaves @param {bigint} index below the size @param {bigint} size @param {readonly Bytes[]} proof
 * @returns {Bytes[] | "too-long" | "too-short"} */
export function rootsOf(leaves, index, size, proof) {
  let [place, last] = [index, size - 1n];
  let hashes = leaves;
  for (const sibling of proof) {
    if (last === 0n) return "too-long";
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
  return last === 0n ? hashes : "too-short";
}
