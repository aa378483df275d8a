/** The form of a bundle: one JSON object, spelled in one way, with all events of a game up to a leaf of the log. */

/** @import {Bytes} from "./bytes.js" */
/** @import {Json} from "./json.js" */
import { decoded, fromBase64, spells32Bytes, spells64Bytes, utf8 } from "./bytes.js";
import { isShown } from "./characters.js";
import { fitsTopic, isTopic } from "./event_fields.js";
import { need } from "./failure.js";
import { hasMembers, isId, isObject, isShownText, isWhole, readJson } from "./json.js";

export const BUNDLE_BYTES_MAX = 33_554_432;
const FORMAT = "liarsdice.bundle.v1";
const MEMBERS = ["format", "game_id", "round", "events", "leaf", "proof", "checkpoint", "key"];
const EVENT_MEMBERS = ["version", "topic", "public", "commitment", "opened", "signed", "digest"];
const ALWAYS = new Set(["version", "topic", "public"]);
const EVENTS_MAX = 100_000;
const PROOF_LENGTH_MAX = 64;
const KEY_LENGTH_MAX = 400;
const SALT_LENGTH = 32;
const OPENED_BYTES_MAX = 65_536;

/**
 * @typedef {object} BundledEvent
 * @property {number} version
 * @property {string} topic such as `bid-placed.v1`
 * @property {string} kind the topic without its version
 * @property {Bytes} spelled the bytes of its public part
 * @property {Record<string, any>} fields the public part; its names and types are those of the topic
 * @property {Bytes | null} commitment
 * @property {Bytes | null} opened
 * @property {{after: number, signature: Bytes} | null} signed
 * @property {Bytes | null} digest
 */

/**
 * @typedef {object} Bundle
 * @property {string} gameId
 * @property {number | null} round
 * @property {BundledEvent[]} events
 * @property {number} leaf
 * @property {Bytes[]} proof
 * @property {string} checkpoint
 * @property {string} key
 */

/** The bundle that some bytes are. @param {Uint8Array} bytes @returns {Bundle} */
export function readBundle(bytes) {
  need(bytes.length <= BUNDLE_BYTES_MAX, "form", "too-large", { bytes: bytes.length, max: BUNDLE_BYTES_MAX });
  const text = textOf(bytes);
  need(text !== null, "form", "not-utf8");
  need(text.endsWith("\n"), "form", "no-last-line-feed");
  const read = readJson(text.slice(0, -1));
  need(isObject(read), "form", "not-spelled-json");
  need(hasMembers(read, MEMBERS), "form", "wrong-members");
  const { checkpoint, events, format, game_id: gameId, key, leaf, proof, round } = read;
  need(format === FORMAT, "form", "another-format");
  need(isId(gameId), "form", "no-game-id");
  need(round === null || isWhole(round), "form", "no-round");
  need(isWhole(leaf), "form", "no-leaf");
  need(Array.isArray(proof) && proof.length <= PROOF_LENGTH_MAX && proof.every(spells32Bytes), "form", "no-proof");
  need(typeof checkpoint === "string" && isShown(checkpoint.replaceAll("\n", "")), "form", "no-checkpoint");
  need(isShownText(key, KEY_LENGTH_MAX), "form", "no-key");
  need(Array.isArray(events) && events.length > 0 && events.length <= EVENTS_MAX, "form", "no-events");
  return { gameId, round: round ?? null, events: events.map(readEvent), leaf, proof: proof.map(decoded), checkpoint, key };
}

/** @param {Json} value @param {number} index @returns {BundledEvent} */
function readEvent(value, index) {
  const version = index + 1;
  const names = isObject(value) ? EVENT_MEMBERS.filter((name) => ALWAYS.has(name) || Object.hasOwn(value, name)) : [];
  need(isObject(value) && hasMembers(value, names), "form", "wrong-event-members", {}, version);
  const { commitment, digest, opened, public: spelled, signed, topic } = value;
  need(value.version === version, "form", "wrong-version", {}, version);
  need(typeof topic === "string" && isTopic(topic), "form", "no-topic", {}, version);
  need(typeof spelled === "string" && isShown(spelled), "form", "no-public-part", { topic }, version);
  const fields = readJson(spelled);
  need(fitsTopic(topic, fields), "form", "wrong-fields", { topic }, version);
  const kind = topic.split(".", 1)[0] ?? "";
  for (const [name, hash] of Object.entries({ commitment, digest })) {
    need(hash === undefined || spells32Bytes(hash), "form", "no-hash", { name }, version);
  }
  const opening = typeof opened === "string" ? fromBase64(opened) : null;
  need(opened === undefined || (opening !== null && opening.length >= SALT_LENGTH && opening.length <= OPENED_BYTES_MAX), "form", "no-opening", {}, version);
  return {
    ...{ version, topic, kind, spelled: utf8(spelled), fields: /** @type {Record<string, any>} */ (fields) },
    commitment: bytesOrNull(commitment),
    opened: opening,
    signed: signed === undefined ? null : readSigned(signed, version),
    digest: bytesOrNull(digest),
  };
}

/** @param {Json} signed @param {number} version */
function readSigned(signed, version) {
  need(isObject(signed) && hasMembers(signed, ["after", "signature"]), "form", "no-signed-part", {}, version);
  const { after, signature } = signed;
  need(isWhole(after) && spells64Bytes(signature), "form", "no-signed-part", {}, version);
  return { after, signature: decoded(signature) };
}

/** @param {Json | undefined} spelled a hash whose spelling was checked @returns {Bytes | null} */
function bytesOrNull(spelled) {
  return typeof spelled === "string" ? decoded(spelled) : null;
}

/** @param {Uint8Array} bytes @returns {string | null} */
function textOf(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
