/** A game in the list. */

import { die } from "../dice/die.js";
import { h } from "../core/render.js";
import { bookTitle } from "./telling.js";

/** @import {Words} from "../words/words.js" */
/** @import {Book, Listing} from "./types.js" */

/** @param {Listing} game @param {Book[]} books @param {Words} words */
export function gameRow(game, books, words) {
  const texts = words.messages.replay;
  const book = books.find((one) => one.id === game.rulebook) ?? { id: game.rulebook, title: game.rulebook, wild_name: "" };
  const [path, way] = wayTo(game, words);
  return h(
    "li",
    { key: game.game_id, class: ["games-row", `is-${game.result}`] },
    h("span", { class: "games-die", "aria-hidden": "true" }, die(1, { wild: book.wild_name, words })),
    h(
      "div",
      { class: "games-what" },
      h("a", { class: "games-link", href: path, "aria-label": `${way}: ${bookTitle(book, words)}, ${words.list(game.seats.map((seat) => seat.name))}` }, bookTitle(book, words)),
      game.private && h("span", { class: "tag" }, texts.privateGame),
      game.forked_from !== null && h("span", { class: "tag" }, texts.practiceGame),
      h("p", { class: "games-players" }, game.seats.map((seat, index) => [
        index > 0 && ", ",
        h("a", { href: `/players/${encodeURIComponent(seat.player_id)}`, class: seat.seat === game.winner && "is-winner" }, seat.name),
      ])),
    ),
    h(
      "p",
      { class: "games-facts" },
      h("span", { class: "games-result" }, resultText(game, words)),
      h("span", { class: "soft small" }, [
        words.time(game.ended_at ?? game.started_at ?? game.created_at),
        game.rounds !== null && ` · ${texts.rounds({ rounds: game.rounds })}`,
      ]),
    ),
    h("span", { class: "games-way", "aria-hidden": "true" }, way),
  );
}

/** @param {Listing} game @param {Words} words @returns {[string, string]} */
function wayTo(game, words) {
  const texts = words.messages.replay;
  const id = encodeURIComponent(game.game_id);
  if (game.result === "gathering") return [`/join/${id}`, texts.join];
  return game.result === "running" ? [`/watch/${id}`, texts.watch] : [`/games/${id}`, texts.replay];
}

/** @param {Listing} game @param {Words} words */
function resultText(game, words) {
  const texts = words.messages.replay;
  const winner = game.seats.find((seat) => seat.seat === game.winner);
  return winner === undefined ? texts.results[game.result] : texts.won({ name: winner.name });
}
