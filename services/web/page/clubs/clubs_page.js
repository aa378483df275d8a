/** One's own clubs, and a form to found another. */

import { newRequestId } from "../../client/transport/connection.js";
import { h } from "../core/render.js";
import { signIn } from "../lobby/guest.js";
import { nameField } from "../lobby/name_field.js";
import { waiting } from "../shell/frame.js";
import { empty } from "../statistics/states.js";

/** @import {App, Page} from "../core/page.js" */
/** @import {Children} from "../core/render.js" */

/** @typedef {{club_id: string, name: string, members: number}} Listed */
/** @typedef {{clubs: Listed[] | null, busy: boolean, bots: boolean, name: string}} State */

const NAME_LENGTH_MAX = 40;

/** @type {Page<State>} */
export default {
  initial: { clubs: null, busy: false, bots: false, name: "" },
  title: ({ words }) => words.messages.clubs.title,
  enter: load,
  view: (app) => {
    const texts = app.words.messages.clubs;
    return [
      h("div", { class: "page-head" }, h("h1", null, texts.title), h("p", { class: "soft" }, texts.lead)),
      h("section", { "aria-label": texts.title }, listed(app)),
      foundingForm(app),
    ];
  },
};

/** @param {App<State>} app */
async function load(app) {
  if (app.session.player === null) return app.update({ clubs: [] });
  const { clubs } = await app.api.get("/clubs", {}, app.signal);
  app.update({ clubs });
}

/** @param {App<State>} app @returns {Children} */
function listed({ state, words }) {
  const texts = words.messages.clubs;
  if (state.clubs === null) return waiting(words.messages.shell.loading);
  if (state.clubs.length === 0) return empty(texts.none, texts.noneHint);
  return h("ul", { class: "cards list" }, state.clubs.map(({ club_id, name, members }) => h(
    "li",
    { class: "card", key: club_id },
    h("h2", null, h("a", { href: `/clubs/${encodeURIComponent(club_id)}` }, name)),
    h("p", { class: "soft" }, texts.memberCount({ count: members })),
  )));
}

/** @param {App<State>} app @returns {Children} */
function foundingForm(app) {
  const texts = app.words.messages.clubs;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    found(app);
  };
  return h(
    "form",
    { class: "card", "aria-label": texts.found, onsubmit: submit },
    h("h2", null, texts.found),
    nameField(app),
    h("label", null, texts.clubName, h("input", {
      required: true,
      maxlength: NAME_LENGTH_MAX,
      ".value": app.state.name,
      oninput: (/** @type {any} */ event) => app.update({ name: event.target.value }),
    })),
    h("label", null, h("input", { type: "checkbox", ".checked": app.state.bots, onchange: (/** @type {any} */ event) => app.update({ bots: event.target.checked }) }), texts.countBots),
    h("p", null, h("button", { class: "primary", type: "submit", disabled: app.state.busy }, texts.foundNow)),
  );
}

/** The club's days are those of the browser's time zone. @param {App<State>} app */
async function found(app) {
  if (app.state.busy) return;
  app.update({ busy: true });
  try {
    await signIn(app);
    const { club } = await app.session.client.call("ClubService", "CreateClub", {
      requestId: newRequestId(),
      name: app.state.name.trim(),
      seasonName: app.words.messages.clubs.firstSeason,
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      countsBots: app.state.bots,
    });
    app.go(`/clubs/${encodeURIComponent(/** @type {any} */ (club).clubId)}`);
  } catch (error) {
    app.failed(error);
  }
  app.update({ busy: false });
}
