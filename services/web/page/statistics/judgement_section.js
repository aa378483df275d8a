/** Luck beside judgement: what the dice gave, and what the player made of them. */

import { calibrationChart } from "../charts/calibration_chart.js";
import { h } from "../core/render.js";
import { expectationMeasure, meanMeasure, rateMeasure } from "./measure.js";
import { number, percent, points, whole } from "./written.js";

/** @import {App} from "../core/page.js" */
/** @import {Words} from "../words/words.js" */
/** @import {Statistics} from "./types.js" */

/** @param {App<any>} app @param {Statistics} statistics */
export function judgement({ words }, statistics) {
  const texts = words.messages.statistics;
  return h(
    "section",
    { class: "card judgement-section" },
    h("h2", null, texts.luckAndSkill),
    h(
      "div",
      { class: "luck-and-skill" },
      h("div", { class: "side" }, h("h3", { class: "side-name" }, texts.luck), h("p", { class: "soft small" }, texts.luckLead), expectationMeasure(words, "dice_luck", statistics.dice_luck, texts.verdicts.luck)),
      h(
        "div",
        { class: "side" },
        h("h3", { class: "side-name" }, texts.skill),
        h("p", { class: "soft small" }, texts.skillLead),
        expectationMeasure(words, "challenge_outcomes", statistics.challenge_outcomes, texts.verdicts.outcomes),
        h("div", { class: "measures is-inside" }, rateMeasure(words, "best_decisions", statistics.best_decisions), meanMeasure(words, "regret", statistics.regret, points)),
      ),
    ),
    h("div", { class: "calibration" }, calibration(words, statistics), meanMeasure(words, "brier", statistics.brier, (_, value) => number(words, value, 3))),
  );
}

/** @param {Words} words @param {Statistics} statistics */
function calibration(words, { calibration: bins, brier }) {
  const texts = words.messages.statistics;
  if (brier.count === 0) return h("p", { class: "soft" }, texts.calibrationNone);
  const spots = bins.flatMap(({ chance, held }) => (chance === null || held.rate === null ? [] : [{ x: chance, y: held.rate, low: held.low ?? 0, high: held.high ?? 1, count: held.out_of }]));
  return calibrationChart({
    words, title: texts.calibrationTitle, summary: texts.calibrationSummary({ count: whole(words, brier.count) }), x: texts.chanceAxis, y: texts.heldAxis, count: texts.bidsAxis, points: spots, height: 18, format: (share) => percent(words, share),
  });
}
