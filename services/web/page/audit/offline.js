/** The page of the verifier as one file: it works from a disk, without a server and without a network. */

import { h, patch } from "../core/render.js";
import { GERMAN } from "../verifier/words.de.js";
import { ENGLISH } from "../verifier/words.en.js";
import { SPANISH } from "../verifier/words.es.js";
import { checksView, verdictSentence } from "./checks_view.js";
import { fileView } from "./file_view.js";
import { keyView } from "./key_view.js";
import { isReceipts } from "./receipts.js";
import { roundsView } from "./rounds_view.js";
import { seatsView } from "./seats_view.js";
import { textsOf } from "./texts.js";
import { keyIn } from "./trusted_key.js";
import { NOT_VERIFIED, runVerification } from "./verification.js";

/** @import {Verification} from "./verification.js" */

const LANGUAGES = [ENGLISH, GERMAN, SPANISH];
const known = navigator.languages.map((one) => LANGUAGES.find(({ language }) => one.startsWith(language)));
const texts = textsOf(known.find((one) => one !== undefined) ?? ENGLISH);

/** @type {{bytes: Uint8Array | null, receipts: Uint8Array | null, name: string, key: string, problem: string, verification: Verification}} */
const state = { bytes: null, receipts: null, name: "", key: "", problem: "", verification: NOT_VERIFIED };

/** @param {Partial<typeof state>} change */
function update(change) {
  Object.assign(state, change);
  patch(document.body, view());
}

/** @param {File} file */
async function take(file) {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    // Receipts that come first are for the next bundle.
    if (isReceipts(bytes)) update({ receipts: bytes, problem: state.bytes === null ? texts.say("offline.receipts-taken") : "" });
    else update({ bytes, name: file.name, receipts: state.bytes === null ? state.receipts : null, problem: "" });
    await check();
  } catch {
    update({ problem: texts.say("offline.unreadable") });
  }
}

async function check() {
  if (state.bytes === null || state.verification.phase === "running") return;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const given = { publicKey: state.key.trim() || null, receipts: state.receipts };
  const report = await runVerification(state.bytes, given, (verification) => update({ verification }), { still });
  document.title = `${texts.say(`verify.${report.verdict}`)}: ${verdictSentence(report, texts)}`;
}

function view() {
  const { bytes, problem, verification } = state;
  const files = { byFile: texts.say("offline.lead"), drop: texts.say("offline.drop"), choose: texts.say("offline.choose"), fileHint: texts.say("offline.intro") };
  return h(
    "main",
    { class: "content is-wide" },
    h("h1", null, texts.say("offline.title")),
    h("div", { class: "audit-ways" }, fileView(files, take), keyField()),
    problem !== "" && h("p", { class: "audit-fact is-bad", role: "alert" }, problem),
    bytes !== null && checkedView(bytes),
    verification.report !== null && roundsView(verification.report, texts, () => null),
  );
}

function keyField() {
  return h(
    "form",
    { class: "card", onsubmit: (/** @type {SubmitEvent} */ event) => (event.preventDefault(), check()) },
    h("label", null, texts.say("offline.key"), h("input", {
      ...{ ".value": state.key, autocomplete: "off", spellcheck: "false", placeholder: "liarsdice+…" },
      oninput: (/** @type {any} */ event) => update({ key: event.target.value }),
    })),
    h("p", { class: "small soft" }, texts.say("offline.key-hint")),
    h("button", { disabled: state.bytes === null }, texts.say("verify.again")),
  );
}

/** @param {Uint8Array} bytes */
function checkedView(bytes) {
  const { key, name, verification } = state;
  const facts = { own: keyIn(bytes), published: null, trusted: null, given: key.trim() || null, compared: "" };
  return h(
    "div",
    { class: "audit-round" },
    h("section", { class: "card audit-verify" }, h("h2", null, texts.say("offline.file", { name })), checksView(verification, texts)),
    h(
      "div",
      { class: "stack" },
      keyView(facts, { compare: null, trust: null, forget: () => undefined, check: () => undefined }, texts),
      verification.report !== null && verification.report.seats.length > 0 && seatsView(verification.report, texts),
    ),
  );
}

document.documentElement.lang = texts.language;
document.title = texts.say("offline.title");
update({});
