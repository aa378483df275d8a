/** What the organiser of a club does: invite with a link, change the code, start a season. */

import { newRequestId } from "../../client/transport/connection.js";
import { h } from "../core/render.js";

/** @import {App} from "../core/page.js" */
/** @import {Club} from "./types.js" */
/** @import {State} from "./club_page.js" */

const COPIED_MILLISECONDS = 2_000;
const NAME_LENGTH_MAX = 40;

/** `load` reads the club anew. @param {App<State>} app @param {Club} club @param {(app: App<State>) => Promise<void>} load */
export function organising(app, club, load) {
  const texts = app.words.messages.clubs;
  return h("div", { class: "cards" }, app.state.code !== "" && invitation(app, club), h(
    "form",
    { class: "card", "aria-label": texts.newSeason, onsubmit: (/** @type {Event} */ event) => start(app, club, load, event) },
    h("h3", null, texts.newSeason),
    h("label", null, texts.seasonName, h("input", { required: true, maxlength: NAME_LENGTH_MAX, ".value": app.state.season, oninput: (/** @type {any} */ event) => app.update({ season: event.target.value }) })),
    h("p", null, h("button", { type: "submit", disabled: app.state.busy }, texts.startSeason)),
  ));
}

/** @param {App<State>} app @param {Club} club */
function invitation(app, club) {
  const texts = app.words.messages.clubs;
  const address = `${location.origin}/clubs/${encodeURIComponent(club.club_id)}#${app.state.code}`;
  const copy = async () => {
    await navigator.clipboard.writeText(address).catch(() => document.querySelector(/** @type {"input"} */ ("#invitation"))?.select());
    app.update({ copied: true });
    setTimeout(() => app.update({ copied: false }), COPIED_MILLISECONDS);
  };
  return h(
    "div",
    { class: "card", key: "invitation" },
    h("h3", null, texts.invite),
    h("label", null, texts.inviteHint, h("input", { id: "invitation", readonly: true, ".value": address, onfocus: (/** @type {any} */ event) => event.target.select() })),
    h(
      "p",
      { class: "row" },
      h("button", { onclick: copy }, app.state.copied ? `✓ ${texts.copied}` : texts.copy),
      h("button", { class: "plain", disabled: app.state.busy, onclick: () => change(app, club) }, texts.changeCode),
    ),
  );
}

/** @param {App<State>} app @param {Club} club */
async function change(app, { club_id }) {
  await busyWith(app, async () => {
    const { code } = await app.session.client.call("ClubService", "ChangeClubCode", { requestId: newRequestId(), clubId: club_id });
    app.update({ code: String(code) });
  });
}

/** @param {App<State>} app @param {Club} club @param {(app: App<State>) => Promise<void>} load @param {Event} event */
async function start(app, { club_id }, load, event) {
  event.preventDefault();
  await busyWith(app, async () => {
    await app.session.client.call("ClubService", "StartSeason", { requestId: newRequestId(), clubId: club_id, name: app.state.season.trim() });
    app.update({ season: "" });
    app.go(app.route.path);
    await load(app);
  });
}

/** @param {App<State>} app @param {() => Promise<void>} act */
async function busyWith(app, act) {
  if (app.state.busy) return;
  app.update({ busy: true });
  await act().catch((error) => app.failed(error));
  app.update({ busy: false });
}
