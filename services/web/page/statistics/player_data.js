/** What the page of a player reads. */

import { problemOf } from "../core/problem.js";
import { askedWith, bookIds, isFiltered } from "./filters.js";
import { countedAs, isStrategy } from "./identity.js";

/** @import {App} from "../core/page.js" */
/** @import {Filters} from "./filters.js" */
/** @import {Groups, Listing, PlayerDecision, RatingPoint, Statistics} from "./types.js" */

/** @typedef {{decisions: PlayerDecision[], next: string | null}} Worst the dearest first */
/** @typedef {{points: RatingPoint[], next: string | null}} RatingHistory the oldest first; `next` leads to older ones */

/**
 * @typedef {object} PlayerData
 * @property {string} playerId
 * @property {string | null} name null if nobody knows the player
 * @property {Statistics} statistics
 * @property {Record<string, Statistics>} books the same for each book, at the same time
 * @property {RatingHistory} ratings
 * @property {Groups} groups
 * @property {Worst} worst
 * @property {Listing[]} games the newest first
 */

const GAMES_SHOWN = 8;
const POINTS_SHOWN = 100;
const WORST_SHOWN = 5;
const NO_DECISIONS = { decisions: [], next: null };

/** An answer about a player; null if there is no such player, or none that the read models know yet (the page says how fresh they are). @template Answer @param {Promise<Answer>} asked @returns {Promise<Answer | null>} */
export async function ifKnown(asked) {
  try {
    return await asked;
  } catch (error) {
    if (["NO_SUCH_PLAYER", "PLAYER_NOT_KNOWN_YET"].includes(problemOf(error).reason)) return null;
    throw error;
  }
}

/** Everything about a player. @param {App<any>} app @param {string} playerId @param {Filters} filters @param {AbortSignal} signal @returns {Promise<PlayerData>} */
export async function playerData(app, playerId, filters, signal) {
  const asked = askedWith(filters);
  const read = (/** @type {string | undefined} */ rulebook) => app.api.get(`/players/${playerId}/statistics`, { ...asked, rulebook }, signal);
  const ids = bookIds(app.words);
  const [statistics, books, ratings, groups, worst] = await Promise.all([
    read(filters.rulebook),
    Promise.all(ids.map(read)),
    ratingHistory(app, playerId, filters, signal),
    groupsOf(app, playerId, filters, signal),
    worstOf(app, playerId, filters, signal),
  ]);
  const games = await gamesOf(app, playerId, filters, ratings, signal);
  const name = statistics.name ?? (await playerName(app, playerId, filters, signal, games));
  return { playerId, name, statistics, books: Object.fromEntries(ids.map((id, index) => [id, books[index]])), ratings, groups, worst, games };
}

/** The numbers of a player in the groups that the page draws. @param {App<any>} app @param {string} playerId @param {Filters} filters @param {AbortSignal} signal @returns {Promise<Groups>} */
async function groupsOf(app, playerId, filters, signal) {
  const read = (/** @type {string} */ by) => app.api.get(`/players/${playerId}/groups`, { ...askedWith(filters), by, page_size: POINTS_SHOWN }, signal);
  const [dice, doubts, games] = await Promise.all(["dice_left", "standing_chance", "game"].map(read));
  return { dice: dice.groups, doubts: doubts.groups, games: games.groups.toReversed(), gamesMore: games.next_page_token !== null };
}

/** The decisions that cost most, with those before that are known already. @param {App<any>} app @param {string} playerId @param {Filters} filters @param {AbortSignal} signal @param {Worst} [known]
 * @returns {Promise<Worst>} */
export async function worstOf(app, playerId, filters, signal, known = NO_DECISIONS) {
  const asked = { ...askedWith(filters), order: "worst", regret_min: 0.01, page_size: WORST_SHOWN, page_token: known.next };
  const answer = await app.api.get(`/players/${playerId}/decisions`, asked, signal);
  return { decisions: [...known.decisions, ...answer.decisions], next: answer.next_page_token };
}

/** The rating after each game, with those before that are known already. @param {App<any>} app @param {string} playerId @param {Filters} filters @param {AbortSignal} signal @param {RatingHistory} [known]
 * @returns {Promise<RatingHistory>} */
export async function ratingHistory(app, playerId, filters, signal, known = { points: [], next: null }) {
  const { rulebook, since, until } = askedWith(filters);
  const answer = await app.api.get(`/players/${playerId}/ratings`, { rulebook, since, until, page_size: POINTS_SHOWN, page_token: known.next }, signal);
  return { points: [...answer.points.toReversed(), ...known.points], next: answer.next_page_token };
}

/** The newest games. Bots of the server have other ids at their tables, so theirs are found by their rating. @param {App<any>} app @param {string} playerId @param {Filters} filters
 * @param {RatingHistory} ratings @param {AbortSignal} signal @returns {Promise<Listing[]>} */
async function gamesOf(app, playerId, filters, ratings, signal) {
  if (isStrategy(playerId)) {
    const ids = filters.played === "ended" ? ratings.points.slice(-GAMES_SHOWN).reverse() : [];
    return Promise.all(ids.map((point) => app.api.get(`/games/${point.game_id}`, {}, signal)));
  }
  const { rulebook, since, until } = askedWith(filters);
  const kind = filters.played === "abandoned" ? { result: "abandoned" } : { result: "ended", practice: filters.played === "practice" ? "only" : "without" };
  return (await app.api.get("/games", { player: playerId, rulebook, since, until, ...kind, page_size: GAMES_SHOWN }, signal)).games;
}

/** The name of somebody without games of this kind; null if nobody knows them. @param {App<any>} app @param {string} playerId @param {Filters} filters @param {AbortSignal} signal @param {Listing[]} [games]
 * @returns {Promise<string | null>} */
export async function playerName(app, playerId, filters, signal, games = []) {
  const me = app.session.player;
  if (me?.playerId === playerId) return me.name;
  if (isFiltered(filters)) {
    const all = await app.api.get(`/players/${playerId}/statistics`, {}, signal);
    if (all.name !== null) return all.name;
  }
  const listings = games.length > 0 ? games : (await app.api.get("/games", { player: playerId, practice: "with", page_size: 1 }, signal)).games;
  return seatOf(listings[0], playerId)?.name ?? null;
}

/** The seat of a player in a game. @param {Listing | undefined} game @param {string} playerId */
export function seatOf(game, playerId) {
  return game?.seats.find((seat) => countedAs(seat.player_id) === playerId) ?? null;
}
