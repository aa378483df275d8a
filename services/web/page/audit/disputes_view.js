/** Disputes about a round, their rulings, and the form for a new one. */

import { h } from "../core/render.js";
import { openDispute, REASON_LENGTH_MAX } from "./disputes.js";

/** @import {Children} from "../core/render.js" */
/** @import {App} from "../core/page.js" */
/** @import {Dispute} from "./disputes.js" */
/** @import {ListedRound, RoundState} from "./round_page.js" */

/** @param {App<RoundState>} app */
export function disputesView(app) {
  const { disputes, rounds } = app.state;
  const texts = app.words.messages.audit;
  const listed = rounds.find(({ number }) => number === Number(app.route.params.round))?.disputes ?? [];
  const shown = disputes.known !== null ? disputes.known.map((one) => disputeView(app, one)) : listed.map((one) => listedView(app, one));
  return h(
    "section",
    { class: "card audit-disputes", "aria-labelledby": "audit-disputes" },
    h("h2", { id: "audit-disputes" }, texts.disputes),
    shown.length > 0 ? h("ul", { class: "list" }, shown) : h("p", { class: "soft" }, texts.noDispute),
    formView(app),
  );
}

/** @param {App<RoundState>} app @param {number} seat */
function nameOf({ state }, seat) {
  return state.report?.seats[seat]?.name ?? String(seat);
}

/** @param {App<RoundState>} app @param {ListedRound["disputes"][number]} listed */
function listedView(app, { closed, seat, stands }) {
  const texts = app.words.messages.audit;
  return h("li", { class: "audit-dispute" }, h("strong", null, texts.disputedBy({ name: nameOf(app, seat) })), ruling(stands, texts), closed && h("span", { class: "tag" }, texts.closed));
}

/** @param {App<RoundState>} app @param {Dispute} dispute */
function disputeView(app, { closing, opened, reason, remarks, ruling: ruled, seat }) {
  const texts = app.words.messages.audit;
  return h(
    "li",
    { class: "audit-dispute" },
    h("strong", null, texts.disputedBy({ name: nameOf(app, seat) })),
    h("span", { class: "small soft" }, app.words.time(Date.parse(opened))),
    h("blockquote", null, reason),
    ruling(ruled === null ? null : ruled.stands === true, texts),
    // The server writes its findings in English.
    ruled !== null && h("details", { lang: "en" }, h("summary", { lang: app.words.language }, texts.finding), h("p", null, ruled.finding ?? ""), sentences(ruled.proven), sentences(ruled.notProven)),
    remarks.map((remark) => h("p", { class: "audit-remark" }, h("span", { class: "small soft" }, texts.remark), remark.text)),
    closing !== null && h("p", { class: "audit-remark" }, h("span", { class: "tag" }, texts.closed), closing.text),
  );
}

/** @param {string[]} [told] */
function sentences(told = []) {
  return told.length > 0 && h("ul", null, told.map((one) => h("li", null, one)));
}

/** @param {boolean | null} stands @param {App<RoundState>["words"]["messages"]["audit"]} texts */
function ruling(stands, texts) {
  const [kind, text] = stands === null ? ["word", texts.notRuled] : stands ? ["good", texts.stands] : ["bad", texts.falls];
  return h("p", { class: `audit-fact is-${kind}` }, text);
}

/** The form, or why there is none. @param {App<RoundState>} app @returns {Children} */
function formView(app) {
  const { disputes, report, rounds } = app.state;
  const texts = app.words.messages.audit;
  const mine = report?.seats.findIndex(({ playerId }) => playerId === app.session.player?.playerId) ?? -1;
  const listed = rounds.find(({ number }) => number === Number(app.route.params.round))?.disputes ?? [];
  if (report?.rounds.at(-1)?.challenge === null) return h("p", { class: "small soft" }, texts.nothingToDispute);
  if (mine < 0) return h("p", { class: "small soft" }, texts.onlyPlayers);
  if ((disputes.known ?? listed).some(({ seat }) => seat === mine)) return h("p", { class: "small soft" }, texts.alreadyDisputed);
  return h(
    "form",
    { class: "stack", onsubmit: (/** @type {SubmitEvent} */ event) => (event.preventDefault(), openDispute(app)) },
    h("label", null, texts.reason, h("input", {
      ...{ ".value": disputes.reason, required: true, maxlength: REASON_LENGTH_MAX, autocomplete: "off", "aria-describedby": "audit-reason" },
      oninput: (/** @type {any} */ event) => app.update({ disputes: { ...app.state.disputes, reason: event.target.value } }),
    })),
    h("p", { id: "audit-reason", class: "small soft" }, texts.reasonHint),
    h("button", { class: "danger", disabled: disputes.sending }, disputes.sending ? texts.examining : texts.dispute),
  );
}
