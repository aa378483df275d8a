/** What an invitation leads to: the table as far as one may see it, and whether there is still a seat. */

import { Refused } from "../../client/index.js";
import { Problem } from "../core/problem.js";

/** @import {App} from "../core/page.js" */

/** @typedef {"free" | "seated" | "full" | "begun" | "over" | "secret" | "wrong" | "missing"} Standing */
/** @typedef {{name: string, bot: boolean, owner: boolean}} Guest */
/** @typedef {{standing: Standing, book: string, guests: Guest[], seatsMax: number, diceEach: number, turnSeconds: number | null}} Invitation */

/** @type {Invitation} */
const UNSEEN = { standing: "secret", book: "", guests: [], seatsMax: 0, diceEach: 5, turnSeconds: null };
/** What a refusal means for somebody who wants to look. @type {Record<string, Standing>} */
const REFUSED = { GAME_PRIVATE: "secret", INVITATION_WRONG: "wrong", NO_SUCH_GAME: "missing", GAME_ID_INVALID: "missing" };

/** Look at the table. A stranger sees public tables only: a private one shows itself to players with its code. @param {App<any>} app @param {string} code */
export async function invitationTo(app, code) {
  try {
    if (app.session.player !== null) return await asPlayer(app, code);
    return code === "" ? await fromOutside(app) : UNSEEN;
  } catch (error) {
    const standing = error instanceof Refused || error instanceof Problem ? REFUSED[error.reason] : undefined;
    if (standing === undefined) throw error;
    return { ...UNSEEN, standing };
  }
}

/** @param {App<any>} app @param {string} code @returns {Promise<Invitation>} */
async function asPlayer({ session, route }, code) {
  const game = await session.client.table(route.params.game ?? "", code).game();
  const { seats, phase, viewer, rulebook, options } = game.view;
  const standing = phase === "ended" ? "over" : viewer !== null ? "seated" : phase !== "gathering" ? "begun" : seats.length >= game.seatsMax ? "full" : "free";
  const guests = seats.map(({ name, kind, playerId }) => ({ name, bot: kind === "bot", owner: playerId === game.ownerId }));
  return { standing, book: rulebook, guests, seatsMax: game.seatsMax, diceEach: options.diceEach ?? 5, turnSeconds: options.turnSeconds };
}

/** @param {App<any>} app @returns {Promise<Invitation>} */
async function fromOutside({ api, route, signal }) {
  const path = `/games/${encodeURIComponent(route.params.game ?? "")}`;
  const [game, first] = await Promise.all([api.get(path, {}, signal), api.get(`${path}/steps`, { page_size: 1 }, signal)]);
  const standing = game.result === "running" ? "begun" : game.result !== "gathering" ? "over" : game.seats.length >= game.seats_max ? "full" : "free";
  const guests = game.seats.map((/** @type {any} */ { name, kind, player_id }) => ({ name, bot: kind === "bot", owner: player_id === game.owner_id }));
  const options = first.steps?.[0]?.event?.options ?? {};
  return { standing, book: game.rulebook, guests, seatsMax: game.seats_max, diceEach: options.dice_each ?? 5, turnSeconds: options.turn_seconds ?? null };
}
