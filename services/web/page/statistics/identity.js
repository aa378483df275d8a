/** Who somebody is. Bots of the server are new at every table: `bot.cautious.4711` counts as `bot.cautious`. */

import { h } from "../core/render.js";

/** @import {App} from "../core/page.js" */
/** @import {Kind, Person} from "./types.js" */

const ID = /^[A-Za-z0-9._-]{1,64}$/;
const SEATED_BOT = /^bot\.([^.]+)\..+$/;
const COUNTED_BOT = /^bot\.([^.]+)$/;

/** Whether the server could know somebody by this. @param {string} id */
export function isPlayerId(id) {
  return ID.test(id);
}

/** The player that a seat counts for. @param {string} id */
export function countedAs(id) {
  const strategy = SEATED_BOT.exec(id)?.[1];
  return strategy === undefined ? id : `bot.${strategy}`;
}

/** Whether this stands for all bots of the server that play in one way. @param {string} id */
export function isStrategy(id) {
  return COUNTED_BOT.test(id);
}

/** People as they count: each way in which the server's bots play once. Their tables are not added up. @param {Person[]} people @returns {(Omit<Person, "games"> & {games: number | null})[]} */
export function countedPeople(people) {
  /** @type {Map<string, Omit<Person, "games"> & {games: number | null}>} */
  const counted = new Map();
  for (const person of people) {
    const id = countedAs(person.player_id);
    if (id === person.player_id) counted.set(id, person);
    else if (!counted.has(id)) counted.set(id, { player_id: id, name: id.slice(4), kind: "bot", games: null });
  }
  return [...counted.values()];
}

/** Where the page of a player is. @param {string} id */
export function playerPath(id) {
  return `/players/${encodeURIComponent(countedAs(id))}`;
}

/** @param {App<any>} app @param {string} id */
export function isMe(app, id) {
  return app.session.player?.playerId === id;
}

/** Marks beside a name: a bot, or the player of this browser. @param {App<any>} app @param {{player_id: string, kind: Kind | null}} player */
export function marks(app, { player_id, kind }) {
  const texts = app.words.messages.statistics;
  return [
    kind === "bot" && h("span", { class: "tag is-bot" }, texts.bot),
    isMe(app, player_id) && h("span", { class: "tag is-me" }, texts.you),
  ];
}
