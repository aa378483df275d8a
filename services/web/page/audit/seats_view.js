/** Who vouches for what: whose chain made the dice, and whose signature stands under the moves. */

import { h } from "../core/render.js";

/** @import {Report, SeatReport} from "../verifier/report.js" */
/** @import {Texts} from "./texts.js" */

/** @param {Report} report @param {Texts} texts */
export function seatsView({ seats }, texts) {
  return h(
    "section",
    { class: "card audit-seats", "aria-labelledby": "audit-seats" },
    h("h2", { id: "audit-seats" }, texts.say("seats.title")),
    h("p", { class: "soft" }, texts.say("seats.hint")),
    h("ul", { class: "list" }, seats.map((seat) => seatView(seat, texts))),
  );
}

/** @param {SeatReport} seat @param {Texts} texts */
function seatView({ anchor, chainHeldBy, clockMoves, kind, name, seat, signedMoves, signingKey }, texts) {
  return h(
    "li",
    { class: "audit-seat", key: seat },
    h("h3", null, name, kind === "bot" && h("span", { class: "tag" }, texts.say("seats.bot"))),
    fact(chainHeldBy === "player", texts.say(`seats.chain-${chainHeldBy}`)),
    fact(signingKey !== null, signingKey === null ? texts.say("seats.unsigned") : texts.say("seats.signed", { count: signedMoves })),
    clockMoves > 0 && fact(false, texts.say("seats.clock", { count: clockMoves })),
    h(
      "details",
      null,
      h("summary", null, texts.say("seats.compare")),
      h("p", { class: "small soft" }, texts.say("seats.compare-hint")),
      spelled(texts.say("seats.anchor"), anchor),
      signingKey !== null && spelled(texts.say("seats.signing-key"), signingKey),
    ),
  );
}

/** @param {boolean} good @param {string} text */
function fact(good, text) {
  return h("p", { class: ["audit-fact", good ? "is-good" : "is-word"] }, text);
}

/** @param {string} name @param {string} value */
function spelled(name, value) {
  return h("p", { class: "audit-spelled" }, h("span", { class: "soft small" }, name), h("code", null, value));
}
