/** Where bundles come from: the server over HTTP, or for a private table with its code, over a call. */

import { fromBase64 } from "../../client/index.js";

/** @import {App} from "../core/page.js" */

/** @typedef {{game: string, round: number | null}} Wanted a round, or the whole game */

/** @param {Wanted} wanted */
export function bundlePath({ game, round }) {
  const path = `/games/${encodeURIComponent(game)}`;
  return round === null ? `${path}/audit` : `${path}/rounds/${round}/audit`;
}

/** @param {Wanted} wanted */
export function bundleName({ game, round }) {
  return round === null ? `${game}.json` : `${game}-${round}.json`;
}

/** The bytes of a bundle. @param {App<any>} app @param {Wanted} wanted @param {string} code of a private table, or nothing */
export async function fetchedBundle(app, wanted, code = "") {
  if (code === "") return new Uint8Array(await (await app.api.fetch(bundlePath(wanted), {}, app.signal)).arrayBuffer());
  const { game, round } = wanted;
  const asked = { gameId: game, invitationCode: code, ...(round === null ? {} : { round }) };
  const { bundle } = await app.session.client.call("AuditService", "GetAudit", asked);
  return fromBase64(String(bundle));
}

/** Save bytes as a file. @param {Uint8Array} bytes @param {string} name */
export function save(bytes, name) {
  const address = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: "application/json" }));
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
