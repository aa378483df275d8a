/** The checkpoint: a signed note with the size and the root of the log (C2SP tlog-checkpoint, tlog-cosignature). */

/** @import {Bytes} from "./bytes.js" */
/** @import {Signature} from "./ed25519.js" */
/** @import {Key} from "./keys.js" */
import { decoded, fromBase64, same, spells32Bytes, utf8 } from "./bytes.js";
import { lengthOf } from "./characters.js";
import { areGood } from "./ed25519.js";
import { need } from "./failure.js";
import { isKeyName, NAME_LENGTH_MAX } from "./keys.js";

const TIME_LENGTH = 8;
const KEY_ID_LENGTH = 4;
const NOTE_BYTES_MAX = 262_144;
const SIGNATURES_MAX = 100;
const SIZE = /^(0|[1-9][0-9]{0,15})$/;
const LINE = /^— ([^+ ]+) ([A-Za-z0-9+/]+={0,2})$/u;

/** @typedef {{name: string, id: Bytes, signature: Bytes}} NoteSignature */

/**
 * @typedef {object} Checkpoint
 * @property {string} text the part that is signed
 * @property {string} origin
 * @property {bigint} size
 * @property {Bytes} root
 * @property {NoteSignature[]} signatures
 */

/** @param {string} note @returns {Checkpoint} */
export function readCheckpoint(note) {
  need(utf8(note).length <= NOTE_BYTES_MAX, "form", "checkpoint-too-long", { max: NOTE_BYTES_MAX });
  // The text may have empty lines, so the last one ends it (signed-note, "Format").
  const end = note.lastIndexOf("\n\n");
  const text = note.slice(0, end + 1);
  const lines = text.split("\n").slice(0, -1);
  const [origin = "", size = "", root = ""] = lines;
  need(end > 0 && lines.length >= 3 && !lines.includes(""), "form", "no-checkpoint-text");
  need(lengthOf(origin) <= NAME_LENGTH_MAX && SIZE.test(size) && Number.isSafeInteger(Number(size)), "form", "no-checkpoint-text");
  need(spells32Bytes(root), "form", "no-checkpoint-text");
  const below = note.slice(end + 2).split("\n");
  need(below.pop() === "" && below.length > 0, "form", "no-signature-lines");
  need(below.length <= SIGNATURES_MAX, "form", "too-many-signatures", { max: SIGNATURES_MAX });
  return { text, origin, size: BigInt(size), root: decoded(root), signatures: below.map(readLine) };
}

/** @param {string} line @returns {NoteSignature} */
function readLine(line) {
  const [, name = "", spelled = ""] = LINE.exec(line) ?? [];
  const bytes = fromBase64(spelled);
  need(isKeyName(name) && bytes !== null && bytes.length > KEY_ID_LENGTH, "form", "no-signature-line");
  return { name, id: bytes.slice(0, KEY_ID_LENGTH), signature: bytes.slice(KEY_ID_LENGTH) };
}

/** Check that the log's key has signed its checkpoint. @param {Checkpoint} checkpoint @param {Key} key */
export async function checkSignature(checkpoint, key) {
  need(checkpoint.origin === key.name, "checkpoint", "another-origin", { origin: checkpoint.origin, name: key.name });
  const text = utf8(checkpoint.text);
  const signatures = signaturesOf(checkpoint, key).map((signature) => ({ key: key.publicKey, text, signature }));
  need(await isSignedBy(signatures), "checkpoint", "key-did-not-sign", { key: key.text });
}

/** Check that a witness has cosigned a checkpoint. @param {Checkpoint} checkpoint @param {Key} key */
export async function checkCosignature(checkpoint, key) {
  const signatures = signaturesOf(checkpoint, key).map((timed) => {
    const time = timeOf(timed);
    const text = utf8(`cosignature/v1\ntime ${time}\n${checkpoint.text}`);
    return { key: key.publicKey, text, signature: timed.slice(TIME_LENGTH) };
  });
  need(await isSignedBy(signatures), "checkpoint", "witness-did-not-sign", { key: key.text });
}

/** Whether there is a signature of a key, and no bad one. @param {Signature[]} signatures */
async function isSignedBy(signatures) {
  return signatures.length > 0 && (await areGood(signatures)).every(Boolean);
}

/** @param {Checkpoint} checkpoint @param {Key} key */
function signaturesOf({ signatures }, key) {
  return signatures.filter(({ id, name }) => name === key.name && same(id, key.id)).map(({ signature }) => signature);
}

/** Whether there are signatures of other keys. @param {Checkpoint} checkpoint @param {readonly Key[]} keys */
export function hasOtherSignatures({ signatures }, keys) {
  return signatures.some(({ id, name }) => !keys.some((key) => name === key.name && same(id, key.id)));
}

/** The seconds since 1970 at which a witness signed. @param {Bytes} timed */
function timeOf(timed) {
  let time = 0n;
  for (const byte of timed.subarray(0, TIME_LENGTH)) time = time * 256n + BigInt(byte);
  return time;
}
