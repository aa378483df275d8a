/** The way of a rating, with its uncertainty. The reader picks a game on it and goes on to its replay. */

import { lineChart } from "../charts/line_chart.js";
import { h } from "../core/render.js";
import { explained, ratingRange } from "./measure.js";
import { number, range, whole } from "./written.js";

/** @import {App} from "../core/page.js" */
/** @import {PlayerData} from "./player_data.js" */
/** @import {RatingPoint} from "./types.js" */

/** @typedef {{ratingAt: number | null, ratingBy: "time" | "games"}} RatingState */

const BY = /** @type {const} */ (["time", "games"]);

/** @param {App<any>} app @param {PlayerData} data @param {{older: () => void}} actions */
export function ratingSection(app, { ratings }, { older }) {
  const texts = app.words.messages.statistics;
  return h(
    "section",
    { class: "card rating-section" },
    h("div", { class: "section-head" }, h("h2", null, texts.ratingTitle, explained(app.words, "rating", "chart")), ratings.points.length > 1 && axisChoice(app)),
    ratings.points.length === 0 ? h("p", { class: "soft" }, texts.ratingNone) : [chart(app, ratings.points), readout(app, ratings.points)],
    ratings.next !== null && h("button", { onclick: older }, texts.olderRatings),
  );
}

/** Points of a rating for a chart, by time or by number. @param {RatingPoint[]} points @param {"time" | "games"} by */
export function ratingPoints(points, by) {
  let last = -Infinity;
  return points.map(({ at, rating }) => {
    // Two games may end in one moment; on the chart the second one comes after the first.
    last = by === "time" ? Math.max(at, last + 1) : rating.games;
    return { x: last, y: rating.mu, ...ratingRange(rating) };
  });
}

/** @param {App<any>} app @param {RatingPoint[]} points */
function chart(app, points) {
  const { words } = app;
  const texts = words.messages.statistics;
  const { ratingAt, ratingBy: by } = /** @type {RatingState} */ (app.state);
  const places = ratingPoints(points, by);
  const index = indexOf(points, ratingAt);
  const write = (/** @type {number} */ value) => number(words, value);
  const [first, final] = [points[0], points.at(-1)];
  return lineChart({
    words,
    untitled: true,
    title: texts.ratingOverTime,
    summary: texts.ratingSummary({ count: whole(words, points.length), first: write(first?.rating.mu ?? 0), last: write(final?.rating.mu ?? 0) }),
    series: [{ name: texts.ratingTitle, points: places }],
    x: { label: texts.ratingAxis[by], kind: by === "time" ? "time" : "whole" },
    y: { label: texts.ratingTitle, format: write },
    at: places[index]?.x ?? null,
    onpick: (x) => app.update({ ratingAt: points[places.findIndex((place) => place.x === x)]?.rating.games ?? null }),
  });
}

/** @param {App<any>} app @param {RatingPoint[]} points */
function readout({ words, state }, points) {
  const texts = words.messages.statistics;
  const point = points[indexOf(points, state.ratingAt)];
  if (point === undefined) return null;
  const { rating, at, game_id } = point;
  return h(
    "div",
    { class: "readout" },
    h("p", { class: "row" }, h("strong", { class: "readout-value" }, number(words, rating.mu)), h("span", { class: "soft" }, range(words, ratingRange(rating), number))),
    h("p", { class: "soft" }, texts.ratingAt({ game: whole(words, rating.games), time: words.time(at) }), " · ", texts.sigma({ text: number(words, rating.sigma) })),
    h("a", { class: "button", href: `/games/${encodeURIComponent(game_id)}` }, texts.walk),
    points.length > 1 && h("p", { class: "soft small readout-hint" }, texts.ratingHint),
  );
}

/** @param {App<any>} app */
function axisChoice(app) {
  const texts = app.words.messages.statistics;
  return h("div", { class: "segments", role: "group", "aria-label": texts.ratingTitle }, BY.map((by) => h(
    "button",
    { type: "button", "aria-pressed": String(app.state.ratingBy === by), onclick: () => app.update({ ratingBy: by }) },
    texts.ratingBy[by],
  )));
}

/** The point that the reader looks at: the newest one if none was picked. @param {RatingPoint[]} points @param {number | null} games */
function indexOf(points, games) {
  const picked = points.findIndex((point) => point.rating.games === games);
  return picked === -1 ? points.length - 1 : picked;
}
