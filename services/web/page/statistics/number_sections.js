/** Sections of a player's page that are numbers above all: the overview, bluffs, and the pace. */

import { columnChart } from "../charts/bar_chart.js";
import { h } from "../core/render.js";
import { meanMeasure, measure, rateMeasure, ratingMeasure } from "./measure.js";
import { number, percent, points, seconds, whole } from "./written.js";

/** @import {App} from "../core/page.js" */
/** @import {Words} from "../words/words.js" */
/** @import {PlayerData} from "./player_data.js" */
/** @import {Statistics} from "./types.js" */

/** @param {App<any>} app @param {PlayerData} data */
export function overview({ words }, { statistics }) {
  const texts = words.messages.statistics;
  const expected = ` · ${texts.expected({ text: number(words, statistics.expected_wins) })}`;
  return h(
    "section",
    { class: "measures", "aria-label": texts.overview },
    ratingMeasure(words, statistics.rating),
    rateMeasure(words, "wins", statistics.wins, expected),
    rateMeasure(words, "challenges_won", statistics.challenges_won),
    rateMeasure(words, "bids_held", statistics.bids_held),
    measure(words, "games", { value: whole(words, statistics.games), basis: texts.roundsCount({ count: statistics.rounds, text: whole(words, statistics.rounds) }) }),
    rateMeasure(words, "forfeits", statistics.forfeits),
  );
}

/** @param {Words} words @param {Statistics} statistics */
export function bluffing(words, statistics) {
  return h(
    "section",
    { class: "card" },
    h("h2", null, words.messages.statistics.bluffing),
    h(
      "div",
      { class: "measures is-inside" },
      rateMeasure(words, "bluffs", statistics.bluffs),
      rateMeasure(words, "bluffs_challenged", statistics.bluffs_challenged),
      rateMeasure(words, "bluffs_caught", statistics.bluffs_caught),
      meanMeasure(words, "risk", statistics.risk, percent),
      rateMeasure(words, "exact_bids", statistics.exact_bids),
      meanMeasure(words, "reroll_gain", statistics.reroll_gain, points),
    ),
  );
}

/** @param {Words} words @param {Statistics} statistics */
export function pace(words, { move_seconds, move_times, clock_moves }) {
  const texts = words.messages.statistics;
  const bars = move_times.map(({ below_milliseconds, moves }) => ({ name: below_milliseconds === null ? texts.longer : words.number(below_milliseconds / 1000), value: moves, text: whole(words, moves) }));
  return h(
    "section",
    { class: "card" },
    h("h2", null, texts.pace),
    h("div", { class: "measures is-inside" }, meanMeasure(words, "move_seconds", move_seconds, seconds), measure(words, "clock_moves", { value: whole(words, clock_moves) })),
    columnChart({ words, title: texts.paceTitle, summary: texts.paceSummary({ count: whole(words, move_seconds.count) }), x: texts.durationAxis, y: { label: texts.movesAxis, kind: "whole" }, bars, height: 10 }),
  );
}
