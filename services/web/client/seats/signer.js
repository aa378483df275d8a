/** The signer of a seat's moves: what is signed, to the byte, is in `docs/reference/audit-format.md`. */

/** @import {Bytes} from "../bytes.js" */
/** @import {Move} from "./move.js" */
import { fromBase64, joined, toBase64, utf8 } from "../bytes.js";
import { KeptBack } from "../transport/refusal.js";

const KEY_LENGTH = 32;
/** What stands before the 32 bytes of a private key of Ed25519 in PKCS #8, which is the form that WebCrypto reads. */
const PKCS8_HEAD = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

/** @typedef {{version: number, digest: Bytes}} Seen the latest version that the client has seen, and its digest */

/** A fresh private key. @returns {Bytes} */
export function newSigningKey() {
  return crypto.getRandomValues(new Uint8Array(KEY_LENGTH));
}

export class Signer {
  #key;

  /** @param {CryptoKey} key @param {Bytes} publicKey */
  constructor(key, publicKey) {
    this.#key = key;
    this.publicKey = publicKey;
  }

  /** The signer with a private key. @param {Bytes} secret */
  static async from(secret) {
    try {
      const key = await crypto.subtle.importKey("pkcs8", joined(PKCS8_HEAD, secret), "Ed25519", true, ["sign"]);
      const { x } = await crypto.subtle.exportKey("jwk", key);
      return new Signer(key, fromBase64(x ?? ""));
    } catch {
      const sentence = "This program's WebCrypto has no Ed25519, so it can't sign moves.";
      throw new KeptBack("unimplemented", sentence, { reason: "SIGNING_NOT_POSSIBLE" });
    }
  }

  /** The signature under a move, for the game as the client has seen it.
   * @param {Move} move @param {string} gameId @param {number} seat @param {Seen} seen */
  async signature(move, gameId, seat, seen) {
    const text = utf8(textToSign(move, gameId, seat, seen));
    const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", this.#key, text));
    return { afterVersion: String(seen.version), signature };
  }
}

/** @param {Move} move @param {string} gameId @param {number} seat @param {Seen} seen */
export function textToSign(move, gameId, seat, { digest, version }) {
  const lines = ["liarsdice.move.v1", gameId, version, toBase64(digest), seat, lineOf(move)];
  return lines.map((line) => `${line}\n`).join("");
}

/** @param {Move} move */
function lineOf({ method, request }) {
  switch (method) {
    case "Roll":
      return `roll ${toBase64(request.link)}`;
    case "PlaceBid":
      return `bid ${request.quantity} ${request.face}${request.reroll ? ` ${showLine(request.reroll)}` : ""}`;
    case "ShowAndReroll":
      return showLine(request.reroll);
    case "Challenge":
      return "challenge";
    case "Forfeit":
      return "forfeit";
  }
}

/** @param {{shown: number[], link: Bytes}} reroll */
function showLine({ link, shown }) {
  return `show ${shown.join(",")} link ${toBase64(link)}`;
}
