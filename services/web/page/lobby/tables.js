/** Reads which tables there are: one's own from the server's list of tables, those of others over HTTP, which needs no player. */

/** @import {App} from "../core/page.js" */
/** @import {Phase} from "../../client/messages/types.js" */

/** @typedef {{id: string, book: string, players: string[], seatsMax: number, gathering: boolean, practice: boolean}} ListedTable */
/** @typedef {{mine: ListedTable[], open: ListedTable[], running: ListedTable[]}} Tables */

/** @type {Phase[]} */
const UNFINISHED = ["gathering", "choosing_opener", "rolling", "bidding", "settling"];
const OWN_MAX = 12;
const LISTED_MAX = 8;

/** @param {App<any>} app @returns {Promise<Tables>} */
export async function tablesFor(app) {
  const [mine, open, running] = await Promise.all([ownTables(app), others(app, "gathering"), others(app, "running")]);
  return { mine, open: open.filter(({ players, seatsMax }) => players.length > 0 && players.length < seatsMax), running };
}

/** @param {App<any>} app @returns {Promise<ListedTable[]>} */
async function ownTables({ session }) {
  if (session.player === null) return [];
  const found = [];
  for await (const game of session.client.games({ mine: true, phases: UNFINISHED })) {
    const { gameId, rulebook, players, seatsMax, phase, forkedFrom } = game;
    found.push({ id: gameId, book: rulebook, players: without(players, session.player.name), seatsMax, gathering: phase === "gathering", practice: forkedFrom !== "" });
    if (found.length === OWN_MAX) break;
  }
  return found;
}

/** The others' names: the player's own appears once. @param {string[]} players @param {string} name */
function without(players, name) {
  const place = players.indexOf(name);
  return place === -1 ? players : players.toSpliced(place, 1);
}

/** Public tables at which the player does not sit. @param {App<any>} app @param {"gathering" | "running"} result @returns {Promise<ListedTable[]>} */
async function others({ api, session, signal }, result) {
  const { games } = await api.get("/games", { result, page_size: LISTED_MAX * 2 }, signal);
  return games.filter((/** @type {any} */ game) => !game.private && !game.seats.some(isMine(session.player?.playerId))).map(listed).slice(0, LISTED_MAX);
}

/** @param {string | undefined} playerId @returns {(seat: any) => boolean} */
function isMine(playerId) {
  return (seat) => seat.player_id === playerId;
}

/** @param {any} game @returns {ListedTable} */
function listed({ game_id, rulebook, seats, seats_max, result }) {
  const players = seats.map((/** @type {any} */ { name }) => name);
  return { id: game_id, book: rulebook, players, seatsMax: seats_max, gathering: result === "gathering", practice: false };
}
