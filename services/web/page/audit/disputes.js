/** Disputes about a round: reading them, and opening one. */

import { newRequestId } from "../../client/transport/connection.js";

/** @import {App} from "../core/page.js" */
/** @import {RoundState} from "./round_page.js" */

/** @typedef {{at: string, text: string}} Remark */
/**
 * @typedef {object} Dispute as the server tells it
 * @property {number} round
 * @property {number} seat
 * @property {string} playerId
 * @property {string} reason
 * @property {string} opened
 * @property {{stands?: boolean, finding?: string, proven?: string[], notProven?: string[]} | null} ruling
 * @property {Remark[]} remarks
 * @property {Remark | null} closing
 */
/** @typedef {{known: Dispute[] | null, reason: string, sending: boolean}} Disputes `known` is null for a reader who may not read their texts */

export const REASON_LENGTH_MAX = 200;

/** Read the disputes of this game, if this reader may: only players of this server can. @param {App<RoundState>} app */
export async function loadDisputes(app) {
  if (app.session.player === null || app.state.report === null) return;
  try {
    const answer = await app.session.client.call("AuditService", "ListDisputes", { gameId: app.route.params.game, invitationCode: app.state.code });
    const told = /** @type {any[]} */ (answer.disputes ?? []);
    app.update({ disputes: { ...app.state.disputes, known: told.map(disputeOf).filter(({ round }) => round === Number(app.route.params.round)) } });
  } catch {
    // Then the page shows what the list of rounds says about them.
  }
}

/** @param {App<RoundState>} app */
export async function openDispute(app) {
  const { disputes } = app.state;
  app.update({ disputes: { ...disputes, sending: true } });
  try {
    const asked = { requestId: newRequestId(), gameId: app.route.params.game, round: Number(app.route.params.round), reason: disputes.reason.trim() };
    const dispute = disputeOf((await app.session.client.call("AuditService", "OpenDispute", asked)).dispute);
    const { known } = app.state.disputes;
    app.update({ disputes: { known: [...(known ?? []), dispute], reason: "", sending: false } });
    app.announce(app.words.messages.audit[dispute.ruling?.stands ? "stands" : "falls"]);
  } catch (error) {
    app.failed(error);
    app.update({ disputes: { ...app.state.disputes, sending: false } });
    await loadDisputes(app);
  }
}

/** Fields that have their default are left out in JSON of protobuf. @param {any} told @returns {Dispute} */
function disputeOf(told) {
  const { closing = null, opened = "", playerId = "", reason = "", remarks = [], round = 0, ruling = null, seat = 0 } = told;
  return { closing, opened, playerId, reason, remarks, round, ruling, seat };
}
