/** What the server tells about clubs over HTTP. */

/** @typedef {{number: number, name: string, started_at: number, ended_at: number | null}} Season */
/** @typedef {{club_id: string, name: string, organiser_id: string, counts_bots: boolean, time_zone: string, members: {player_id: string, name: string}[], seasons: Season[]}} Club */
/** @typedef {{count: number, out_of: number, rate: number | null, low: number | null, high: number | null}} Rate */
/**
 * @typedef {object} Standing
 * @property {number} position
 * @property {string} player_id
 * @property {string} name
 * @property {boolean} is_member
 * @property {number} games
 * @property {number} points
 * @property {number} points_possible
 * @property {Rate} wins
 * @property {{place: number, games: number}[]} places
 * @property {Rate} best_decisions
 */
/** @typedef {{season: Season | null, games: number, standings: Standing[], freshness: import("../shell/freshness.js").Freshness}} SeasonTable */
/** @typedef {{player_id: string, name: string, is_member: boolean, evenings: number, games: number}} Attendee */
/** @typedef {{season: Season | null, time_zone: string, evenings: {day: string, games: number, player_ids: string[]}[], attendees: Attendee[]}} Attendance */

export {};
