/** "Verify in this browser": the button, the checks, the verdict and the key, on every page that has a bundle. */

import { h } from "../core/render.js";
import { save } from "./bundle_source.js";
import { checksView, verdictSentence } from "./checks_view.js";
import { keyView } from "./key_view.js";
import { textsFor, textsIn } from "./languages.js";
import { gameOf, ownReceipts } from "./receipts.js";
import { forgetKey, keyIn, trust, trustedKey } from "./trusted_key.js";
import { NOT_VERIFIED, runVerification } from "./verification.js";

/** @import {App} from "../core/page.js" */
/** @import {TrustedKey} from "./trusted_key.js" */
/** @import {Verification} from "./verification.js" */

/**
 * @typedef {object} Checked what a page that checks bundles has in its state
 * @property {Uint8Array | null} bytes
 * @property {Verification} verification
 * @property {string[] | null} published the keys that the server publishes
 * @property {TrustedKey | null} trusted
 * @property {string} compared
 * @property {Uint8Array | null} receipts a file of receipts that the reader has brought
 * @property {Uint8Array | null} kept the receipts that this browser has for the game
 * @property {string | null} given the key of the last check; null if it was the bundle's own
 */

/** @type {Omit<Checked, "bytes">} */
export const NO_CHECK = { verification: NOT_VERIFIED, published: null, trusted: null, compared: "", receipts: null, kept: null, given: null };

/** Read which key the reader trusts; it may have been trusted on another page since. @param {App<any>} app */
export function recallKey(app) {
  app.update({ trusted: trustedKey() });
}

/** Check a bundle with a key; with the bundle's own if there is none. @param {App<any>} app @param {Uint8Array} bytes @param {string | null} key @param {boolean} still */
export async function checkBundle(app, bytes, key, still) {
  if (app.state.verification.phase === "running") return;
  const texts = await textsIn(app.preferences.language);
  app.api.get("/checkpoints/keys", {}, app.signal).then(({ keys }) => app.update({ published: keys }), () => app.update({ published: null }));
  const kept = await ownReceipts(app, bytes);
  app.update({ given: key, kept });
  const given = { publicKey: key, receipts: app.state.receipts ?? kept };
  const report = await runVerification(bytes, given, (verification) => app.update({ verification }), { signal: app.signal, still });
  app.announce(`${texts.say(`verify.${report.verdict}`)}. ${verdictSentence(report, texts)}`);
}

/** @param {App<any>} app @param {(key: string | null) => void} check @param {string} name of the file, if it is saved */
export function verifyCard(app, check, name) {
  const texts = textsFor(app);
  /** @type {Checked} */
  const { bytes, kept, verification } = app.state;
  if (texts === null || bytes === null) return null;
  const { phase } = verification;
  return h(
    "section",
    { class: "card audit-verify", "aria-labelledby": "audit-verify" },
    h("h2", { id: "audit-verify" }, texts.say("verify.title")),
    phase === "idle" && h("p", { class: "soft" }, texts.say("verify.intro")),
    h(
      "div",
      { class: "row" },
      h("button", { class: phase === "idle" ? "primary" : null, disabled: phase === "running", onclick: () => check(app.state.trusted?.text ?? null) }, texts.say(phase === "done" ? "verify.again" : "verify.button")),
      h("button", { onclick: () => save(bytes, name) }, texts.say("verify.download")),
      kept !== null && h("button", { onclick: () => save(kept, `${gameOf(bytes)}-receipts.txt`) }, texts.say("verify.save-receipts")),
      h("a", { class: "button", href: "/verify.html", download: "" }, texts.say("verify.take")),
    ),
    checksView(verification, texts),
  );
}

/** The key that was used, once something was checked. @param {App<any>} app @param {(key: string | null) => void} check */
export function keyCard(app, check) {
  const { announce, state, update } = app;
  const texts = textsFor(app);
  /** @type {Checked} */
  const { bytes, compared, given, published, trusted, verification } = state;
  if (texts === null || bytes === null || verification.phase === "idle") return null;
  const actions = {
    check,
    compare: (/** @type {string} */ text) => update({ compared: text }),
    trust: (/** @type {string} */ key) => {
      update({ trusted: trust(key) });
      announce(texts.say("key.trusted", { day: texts.day(Date.now()) }));
      check(key);
    },
    forget: () => {
      forgetKey();
      update({ trusted: null });
    },
  };
  return keyView({ own: keyIn(bytes), published, trusted, given, compared }, actions, texts);
}
