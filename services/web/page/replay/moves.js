/** The moves of the round that is shown, and the decisions of the game that cost most. Each leads to its step. */

import { h } from "../core/render.js";
import { dearest, isCostly, isKnown } from "./decisions.js";
import { bidText } from "./telling.js";

/** @import {Children} from "../core/render.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Decision} from "./decisions.js" */
/** @import {Recording} from "./recording.js" */
/** @import {Walk} from "./walk.js" */

const DEAREST_MAX = 5;

/** @param {Walk} walk @param {Words} words @returns {Children} */
export function movesOfRound(walk, words) {
  const { recording, position } = walk;
  const texts = words.messages.replay;
  const round = recording.roundAt(position.step);
  const moves = round === null ? [] : recording.decisions.filter((one) => one.round === round.number);
  if (moves.length === 0) return h("p", { class: "soft" }, texts.noMoves);
  return h("ol", { class: "replay-moves" }, moves.map((move) => h("li", { key: move.version }, row(walk, words, move))));
}

/** @param {Walk} walk @param {Words} words @returns {Children} */
export function costliest(walk, words) {
  const { recording, position } = walk;
  const texts = words.messages.replay;
  if (position.eyes === "spectator") return h("p", { class: "soft" }, texts.costlySpectator);
  const found = dearest(recording.decisions, position.eyes, DEAREST_MAX);
  return [
    found.length === 0
      ? h("p", { class: "soft" }, texts.costlyNone)
      : h("ol", { class: "replay-moves is-ranked" }, found.map((one) => h("li", { key: one.version }, row(walk, words, one, texts.round({ number: one.round }))))),
    h("p", { class: "soft small" }, texts.costlyMeaning),
  ];
}

/** @param {Walk} walk @param {Words} words @param {Decision} decision @param {string} [where] */
function row(walk, words, decision, where) {
  const { recording, position } = walk;
  const texts = words.messages.replay;
  const known = isKnown(decision, position.eyes);
  const costly = known && isCostly(decision);
  return h(
    "button",
    {
      type: "button",
      class: ["replay-move", costly && "is-costly", where === undefined && decision.version > position.step && "is-later"],
      "aria-current": where === undefined && position.step === decision.version ? "step" : null,
      "data-step": decision.version,
      onclick: () => walk.to(decision.version),
    },
    h("span", { class: "replay-move-name" }, recording.name(decision.seat)),
    h("span", { class: "replay-move-what" }, whatOf(recording, decision, words)),
    where && h("span", { class: "replay-move-where" }, where),
    h("span", { class: "replay-move-chance", title: texts.seen }, known && decision.chance !== null ? words.percent(decision.chance) : "–"),
    costly && decision.cost !== null && h("span", { class: "replay-move-cost" }, texts.costs({ cost: words.percent(decision.cost) })),
    costly && where && h("span", { class: "replay-move-better" }, betterThan(recording, decision, words)),
  );
}

/** What would have been best. @param {Recording} recording @param {Decision} decision @param {Words} words */
function betterThan({ book }, { weighed }, words) {
  if (weighed === null) return null;
  const texts = words.messages.replay;
  const best = weighed.best_action === "challenge" || weighed.best_bid === null ? texts.toDoubt : bidText(weighed.best_bid, book.wild_name, words);
  return texts.better({ best, chance: words.percent(weighed.best_chance) });
}

/** @param {Recording} recording @param {Decision} decision @param {Words} words */
function whatOf(recording, { version, kind }, words) {
  const event = recording.step(version)?.event;
  const bid = kind === "bid" ? event : event?.bid;
  const said = bidText(/** @type {any} */ (bid), recording.book.wild_name, words);
  return kind === "bid" ? said : `${words.messages.replay.doubts} ${said}`;
}
