/** The address of a step: which step it names, and through whose eyes. */

/** @import {Recording} from "./recording.js" */
/** @import {Eyes} from "./types.js" */

/** @param {URLSearchParams} query @param {Recording} recording @param {string | null} playerId the reader, if known @returns {{step: number | null, eyes: Eyes}} */
export function placeIn(query, recording, playerId) {
  const step = query.get("step");
  return { step: step !== null && /^\d+$/.test(step) ? Number(step) : null, eyes: eyesNamed(query.get("seat"), recording, playerId) };
}

/** @param {string} game @param {{step: number, eyes: Eyes}} place */
export function addressOf(game, { step, eyes }) {
  return `/games/${encodeURIComponent(game)}?step=${step}&seat=${eyes}`;
}

/** A player sees a past game as at the table; everybody else sees everything. @param {string | null} named @param {Recording} recording @param {string | null} playerId @returns {Eyes} */
export function eyesNamed(named, recording, playerId) {
  if (named === "everything" || named === "spectator") return named;
  if (named !== null && /^\d+$/.test(named) && Number(named) < recording.players.length) return Number(named);
  const own = recording.players.findIndex((player) => player.player_id === playerId);
  return own >= 0 ? own : "everything";
}
