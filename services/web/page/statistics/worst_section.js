/** The decisions of a player that cost most. Each leads to its step in the replay. */

import { faceName } from "../dice/die.js";
import { h } from "../core/render.js";
import { addressOf } from "../replay/address.js";
import { BOOKS } from "../rules/books.js";
import { bookTitle } from "./filters.js";
import { percent, points, whole } from "./written.js";

/** @import {App} from "../core/page.js" */
/** @import {Words} from "../words/words.js" */
/** @import {PlayerData} from "./player_data.js" */
/** @import {PlayerDecision} from "./types.js" */

/** @param {App<any>} app @param {PlayerData} data @param {{more: () => void}} actions */
export function worstDecisions({ words, state }, { worst }, { more }) {
  const texts = words.messages.statistics;
  return h(
    "section",
    { class: "card worst-section" },
    h("h2", null, texts.worstTitle),
    worst.decisions.length === 0
      ? h("p", { class: "soft" }, texts.worstNone)
      : [h("p", { class: "soft small" }, texts.worstLead), h("ol", { class: "list worst" }, worst.decisions.map((one) => row(words, one)))],
    worst.next !== null && h("button", { type: "button", disabled: state.loading, onclick: more }, texts.worstMore),
  );
}

/** @param {Words} words @param {PlayerDecision} decision */
function row(words, decision) {
  const texts = words.messages.statistics;
  const { game_id: game, version, seat, at, rulebook, regret, chance, own_dice: own, dice_left: all } = decision;
  return h(
    "li",
    { class: "worst-decision", key: `${game} ${version}` },
    h("span", { class: "worst-regret" }, `−${points(words, regret)}`),
    h(
      "span",
      { class: "worst-what" },
      h("strong", null, whatOf(words, decision)),
      h("span", { class: "soft small" }, texts.worstRight({ chance: percent(words, chance) }), " · ", texts.worstBest({ best: bestOf(words, decision), chance: percent(words, decision.best_chance) })),
    ),
    h("span", { class: "worst-where soft small" }, bookTitle(words, rulebook), " · ", words.day(at), " · ", texts.worstDice({ own: whole(words, own), all: whole(words, all) })),
    h("a", { class: "button", href: addressOf(game, { step: version, eyes: seat }), "aria-label": `${texts.worstStep}: ${whatOf(words, decision)}, ${words.day(at)}` }, texts.worstStep),
  );
}

/** @param {Words} words @param {PlayerDecision} decision */
function whatOf(words, { action, bid, standing, rulebook }) {
  const texts = words.messages.statistics;
  return action === "bid" ? texts.worstBid({ bid: bidText(words, bid, rulebook) }) : texts.worstDoubt({ bid: bidText(words, standing, rulebook) });
}

/** @param {Words} words @param {PlayerDecision} decision */
function bestOf(words, { best_action, best_bid, rulebook }) {
  return best_action === "bid" ? bidText(words, best_bid, rulebook) : words.messages.statistics.toDoubt;
}

/** @param {Words} words @param {PlayerDecision["bid"]} bid @param {string} rulebook */
function bidText(words, bid, rulebook) {
  const wild = BOOKS.find(({ id }) => id === rulebook)?.wildName ?? "";
  return bid === null ? "" : words.messages.replay.bid({ quantity: bid.quantity, face: faceName(bid.face, wild, words) });
}
