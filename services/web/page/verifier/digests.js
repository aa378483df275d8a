/** Digests: each holds its event and the digest before it, so no event can be changed, left out or moved. */

/** @import {Bytes} from "./bytes.js" */
/** @import {Bundle, BundledEvent} from "./bundle.js" */
import { bigEndian, joined, same, utf8 } from "./bytes.js";
import { need } from "./failure.js";
import { sha256 } from "./sha256.js";

/** The digests of all events by their versions; number 0 is that of the game's id. @param {Bundle} bundle @returns {Bytes[]} */
export function checkedDigests({ events, gameId }) {
  const name = utf8(gameId);
  const digests = [sha256(joined(utf8("liarsdice.game.v1\n"), bigEndian(name.length, 2), name))];
  let begun = false;
  for (const event of events) {
    const { digest, version } = event;
    const computed = digestOf(event, /** @type {Bytes} */ (digests[version - 1]));
    digests.push(computed);
    if (digest === null) {
      // Such events are older than digests, so they never follow one that has a digest.
      need(!begun, "digests", "digest-missing", {}, version);
      need(event.commitment === null && event.opened === null && event.signed === null, "digests", "evidence-without-digest", {}, version);
    } else {
      begun = true;
      need(same(digest, computed), "digests", "another-digest", {}, version);
    }
  }
  return digests;
}

/** @param {BundledEvent} event @param {Bytes} before @returns {Bytes} */
function digestOf({ commitment, signed, spelled, topic, version }, before) {
  const name = utf8(topic);
  const signing = signed === null ? new Uint8Array() : joined(bigEndian(signed.after, 8), signed.signature);
  const event = joined(bigEndian(version, 8), bigEndian(name.length, 2), name, bigEndian(spelled.length, 4), spelled);
  const committed = commitment === null ? Uint8Array.of(0) : joined(Uint8Array.of(1), commitment);
  return sha256(joined(utf8("liarsdice.event.v1\n"), before, event, committed, bigEndian(signing.length, 2), signing));
}
