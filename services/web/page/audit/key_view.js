/** The key that a bundle was checked with: where it came from, and how to compare it. */

import { h } from "../core/render.js";
import { fingerprint, isKey } from "./trusted_key.js";

/** @import {Texts} from "./texts.js" */
/** @import {TrustedKey} from "./trusted_key.js" */

/**
 * @typedef {object} KeyFacts
 * @property {string | null} own the key that the bundle names
 * @property {string[] | null} published what the server publishes; null if nobody asked, or it did not answer
 * @property {TrustedKey | null} trusted
 * @property {string | null} given the key that the reader gave for this check, if any
 * @property {string} compared what the reader has typed to compare
 */

/** What the reader can do; what is null is not offered.
 * @typedef {{compare: ((text: string) => void) | null, trust: ((key: string) => void) | null, forget: () => void, check: (key: string | null) => void}} KeyActions */

/** Whether the bundle names another key than the one that the reader trusts. @param {KeyFacts} facts */
export function hasChanged({ own, trusted }) {
  return own !== null && trusted !== null && own !== trusted.text;
}

/** @param {KeyFacts} facts @param {KeyActions} actions @param {Texts} texts */
export function keyView(facts, actions, texts) {
  const { own, trusted } = facts;
  return h(
    "section",
    { class: "card audit-key", "aria-labelledby": "audit-key" },
    h("h2", { id: "audit-key" }, texts.say("key.title")),
    hasChanged(facts) && changedView(facts, actions, texts),
    own === null ? h("p", { class: "soft" }, texts.say("key.none")) : written(own, texts),
    sourceView(facts, texts),
    own !== null && trusted === null && actions.trust !== null && h(
      "p",
      { class: "row" },
      h("button", { onclick: () => actions.trust?.(own) }, texts.say("key.trust")),
      h("span", { class: "small soft" }, texts.say("key.trust-hint")),
    ),
    trusted !== null && h("p", { class: "row" }, h("button", { class: "plain", onclick: actions.forget }, texts.say("key.forget"))),
    actions.compare !== null && compareView(facts, actions, texts),
  );
}

/** @param {string} key @param {Texts} texts */
function written(key, texts) {
  return [
    h("p", { class: "audit-spelled" }, h("span", { class: "small soft" }, texts.say("key.text")), h("code", null, key)),
    h("p", { class: "audit-spelled" }, h("span", { class: "small soft" }, texts.say("key.fingerprint")), h("code", { class: "audit-fingerprint" }, grouped(fingerprint(key)))),
  ];
}

/** In groups of four, as one reads it to somebody. @param {string} hexadecimal */
export function grouped(hexadecimal) {
  return hexadecimal.replaceAll(/(.{4})(?=.)/g, "$1 ");
}

/** @param {KeyFacts} facts @param {Texts} texts */
function sourceView({ given, own, published, trusted }, texts) {
  if (own === null) return null;
  const isTrusted = own === trusted?.text;
  const from = isTrusted ? texts.say("key.trusted", { day: texts.day(trusted.at) }) : texts.say(own === given ? "key.proven" : "key.from-bundle");
  const agrees = published?.includes(own) ?? null;
  return [
    h("p", { class: ["audit-fact", isTrusted || own === given ? "is-good" : "is-word"] }, from),
    agrees !== null && h("p", { class: ["audit-fact", agrees ? "is-word" : "is-bad"] }, texts.say(agrees ? "key.published" : "key.not-published")),
  ];
}

/** @param {KeyFacts} facts @param {KeyActions} actions @param {Texts} texts */
function changedView({ own, trusted }, actions, texts) {
  return h(
    "div",
    { class: "audit-changed", role: "alert" },
    h("strong", null, texts.say("key.changed")),
    h("p", null, texts.say("key.changed-hint", { day: texts.day(trusted?.at ?? 0) })),
    h("p", { class: "audit-spelled" }, h("span", { class: "small" }, texts.say("key.you-trust")), h("code", null, trusted?.text ?? "")),
    h(
      "p",
      { class: "row" },
      h("button", { onclick: () => actions.check(null) }, texts.say("key.check-own")),
      actions.trust !== null && h("button", { class: "danger", onclick: () => own !== null && actions.trust?.(own) }, texts.say("key.trust-new")),
    ),
  );
}

/** @param {KeyFacts} facts @param {KeyActions} actions @param {Texts} texts */
function compareView({ compared, own }, actions, texts) {
  const given = compared.trim();
  const found = given === "" ? null : !isKey(given) ? "no-key" : given === own ? "same" : "different";
  return h(
    "div",
    { class: "audit-compare" },
    h("label", null, texts.say("key.compare"), h("input", {
      ...{ type: "text", ".value": compared, autocomplete: "off", spellcheck: "false", placeholder: "liarsdice+…", "aria-describedby": "audit-compared" },
      oninput: (/** @type {any} */ event) => actions.compare?.(event.target.value),
    })),
    h("p", { id: "audit-compared", class: ["small", found === "same" ? "good" : found === null ? "soft" : "bad"], role: "status" }, texts.say(`key.compared-${found ?? "hint"}`)),
    isKey(given) && h("button", { onclick: () => actions.check(given) }, texts.say("key.check-given")),
  );
}
