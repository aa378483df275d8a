/** What somebody has reached: games won in each book, and places. */

import { barChart, columnChart } from "../charts/bar_chart.js";
import { h } from "../core/render.js";
import { bookTitle } from "./filters.js";
import { outOf } from "./measure.js";
import { number, percent, whole } from "./written.js";

/** @import {App} from "../core/page.js" */
/** @import {Words} from "../words/words.js" */
/** @import {PlayerData} from "./player_data.js" */
/** @import {Statistics} from "./types.js" */

/** @param {App<any>} app @param {PlayerData} data */
export function results({ words }, { books, statistics }) {
  const texts = words.messages.statistics;
  return h(
    "section",
    { class: "card results-section" },
    h("h2", null, texts.results),
    h("div", { class: "two-charts" }, byBook(words, books), statistics.places.length > 0 && placesChart(words, statistics)),
  );
}

/** @param {Words} words @param {Record<string, Statistics>} books */
function byBook(words, books) {
  const texts = words.messages.statistics;
  const bars = Object.entries(books).map(([book, { wins, expected_wins }]) => ({
    name: bookTitle(words, book),
    value: wins.rate,
    note: wins.out_of === 0 ? texts.nothingCounted : `${outOf(words, wins)} · ${texts.expected({ text: number(words, expected_wins) })}`,
    ...(wins.low === null || wins.high === null ? {} : { low: wins.low, high: wins.high, mark: expected_wins / wins.out_of }),
  }));
  return barChart({ words, title: texts.winsByBook, summary: texts.winsByBookSummary, marked: texts.expectedShare, bars, y: { label: texts.boards.wins.name, kind: "share", max: 1, format: (value) => percent(words, value) } });
}

/** @param {Words} words @param {Statistics} statistics */
function placesChart(words, { places }) {
  const texts = words.messages.statistics;
  const last = Math.max(...places.map(({ place }) => place), 2);
  const games = new Map(places.map((one) => [one.place, one.games]));
  const bars = Array.from({ length: last }, (_, index) => ({ name: whole(words, index + 1), value: games.get(index + 1) ?? 0, text: whole(words, games.get(index + 1) ?? 0) }));
  return columnChart({ words, title: texts.placesTitle, summary: texts.placesSummary, x: texts.placeAxis, y: { label: texts.gamesAxis, kind: "whole" }, bars, height: 12 });
}
