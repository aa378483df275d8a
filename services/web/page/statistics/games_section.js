/** The newest games of a player, with the way into each. */

import { h } from "../core/render.js";
import { bookTitle } from "./filters.js";
import { countedAs, isStrategy, playerPath } from "./identity.js";
import { seatOf } from "./player_data.js";

/** @import {App} from "../core/page.js" */
/** @import {Words} from "../words/words.js" */
/** @import {PlayerData} from "./player_data.js" */
/** @import {Listing} from "./types.js" */

/** @param {App<any>} app @param {PlayerData} data */
export function recentGames({ words }, { games, playerId }) {
  const texts = words.messages.statistics;
  return h(
    "section",
    { class: "card" },
    h("h2", null, texts.recent),
    games.length === 0 ? h("p", { class: "soft" }, texts.recentNone) : h("ul", { class: "list recent" }, games.map((game) => recentGame(words, game, playerId))),
    !isStrategy(playerId) && games.length > 0 && h("a", { href: `/games?player=${encodeURIComponent(playerId)}` }, texts.allGames),
  );
}

/** @param {Words} words @param {Listing} game @param {string} playerId */
function recentGame(words, game, playerId) {
  const texts = words.messages.statistics;
  const [book, time] = [bookTitle(words, game.rulebook), words.time(game.ended_at ?? game.created_at)];
  const own = seatOf(game, playerId);
  const others = game.seats.filter((seat) => seat.seat !== own?.seat);
  return h(
    "li",
    { class: "recent-game", key: game.game_id },
    h("span", { class: ["recent-result", game.winner !== null && game.winner === own?.seat && "is-won"] }, resultOf(words, game, own?.seat ?? null)),
    h(
      "span",
      { class: "recent-what" },
      h("span", null, h("strong", null, book), game.private && [" ", h("span", { class: "tag" }, texts.private)]),
      h("span", { class: "soft small" }, texts.against, " ", others.map((seat, index) => [index > 0 && ", ", h("a", { href: playerPath(countedAs(seat.player_id)), key: seat.seat }, seat.name)])),
    ),
    h("span", { class: "recent-when soft small" }, time, " · ", texts.roundsCount({ count: game.rounds, text: words.number(game.rounds) })),
    h("a", { class: "button", href: `/games/${encodeURIComponent(game.game_id)}`, "aria-label": texts.walkLabel({ book, time }) }, texts.walk),
  );
}

/** @param {Words} words @param {Listing} game @param {number | null} seat */
function resultOf(words, { places, winner }, seat) {
  const texts = words.messages.statistics;
  if (seat === null || places === null || winner === null) return texts.noPlace;
  if (winner === seat) return texts.won;
  const group = places.findIndex((seats) => seats.includes(seat));
  const place = places.slice(0, group).reduce((sum, seats) => sum + seats.length, 1);
  return group === -1 ? texts.noPlace : texts.place({ place, of: places.flat().length });
}
