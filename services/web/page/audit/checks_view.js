/** The checks of a bundle, as they are made, and the verdict. */

import { h } from "../core/render.js";
import { ALL_CHECKS } from "../verifier/failure.js";

/** @import {Children} from "../core/render.js" */
/** @import {Check, Report} from "../verifier/report.js" */
/** @import {Verification} from "./verification.js" */
/** @import {Texts} from "./texts.js" */

/** @type {ReadonlySet<string>} */
const OF_THE_FORMAT = new Set(ALL_CHECKS);
const MARKS = { proven: "✓", failed: "✕", "not-reached": "–", undecided: "?", "word-of-server": "“", "word-of-bundle": "“" };

/** @param {Verification} verification @param {Texts} texts @returns {Children} */
export function checksView({ checks, milliseconds, phase, report, total }, texts) {
  if (phase === "idle") return null;
  const [made, said] = [checks.filter(({ name }) => OF_THE_FORMAT.has(name)), checks.filter(({ name }) => !OF_THE_FORMAT.has(name))];
  return h(
    "div",
    { class: "audit-checks", "aria-busy": String(phase === "running") },
    h("div", { class: ["audit-verdict", report && `is-${report.verdict}`], role: "status" }, report === null ? running(made.length, total, texts) : verdict(report, milliseconds, texts)),
    h("ol", { class: "audit-check-list" }, made.map((check) => checkView(check, texts))),
    said.length > 0 && h("h3", null, texts.say("verify.whose-word")),
    said.length > 0 && h("ul", { class: "audit-check-list" }, said.map((check) => checkView(check, texts))),
  );
}

/** @param {number} count @param {number} total @param {Texts} texts */
function running(count, total, texts) {
  return [h("strong", null, texts.say("verify.running")), h("span", { class: "soft" }, `${count} / ${total}`)];
}

/** @param {Report} report @param {number} milliseconds @param {Texts} texts */
function verdict(report, milliseconds, texts) {
  const figures = { milliseconds: Math.max(1, Math.round(milliseconds)), rounds: report.rounds.length };
  return [
    h("strong", null, texts.say(`verify.${report.verdict}`)),
    h("span", null, verdictSentence(report, texts)),
    report.verdict === "verified" && h("span", { class: "small" }, texts.say("verify.took", figures)),
  ];
}

/** What the verdict means. @param {Report} report @param {Texts} texts */
export function verdictSentence(report, texts) {
  const stopped = report.checks.find(({ status }) => status === "failed" || status === "undecided");
  if (stopped) return `${texts.say(`check.${stopped.name}`)}: ${texts.say(stopped.meaning, stopped.values)}`;
  return texts.say(report.key?.isGiven ? "verify.verified-given" : "verify.verified-own");
}

/** @param {Check} check @param {Texts} texts */
function checkView({ meaning, name, status, values, version }, texts) {
  return h(
    "li",
    { class: ["audit-check", `is-${status}`], key: version === null ? name : `${name}-${version}`, "data-check": name, "data-status": status },
    h("span", { class: "audit-check-mark", "aria-hidden": "true" }, MARKS[status]),
    h("strong", null, texts.say(`check.${name}`)),
    h("span", { class: "audit-check-status" }, texts.say(`status.${status}`)),
    h("p", null, texts.say(meaning, values), version !== null && ` ${texts.say("verify.at-event", { version })}`),
  );
}
