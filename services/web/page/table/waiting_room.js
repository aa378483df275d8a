/** The table before the game: who is there, whom to invite, bots, and the start. */

import { h } from "../core/render.js";
import { commandLine } from "./command_line.js";

/** @import {Game, SeatView} from "../../client/messages/types.js" */
/** @import {TableApp} from "./table_state.js" */

const TEMPERS = /** @type {const} */ (["cautious", "calculating", "bluffing"]);
const COPIED_MILLISECONDS = 2_500;

/** @param {TableApp} app @param {Game} game */
export function waitingRoom(app, game) {
  const { view } = game;
  const texts = app.words.messages.table.room;
  const seated = view.viewer !== null;
  return h(
    "div",
    { class: "room" },
    h(
      "section",
      { class: "felt room-felt" },
      h("h2", null, texts.players({ count: view.seats.length, max: game.seatsMax })),
      h("ul", { class: "room-seats" }, view.seats.map((seat) => takenSeat(app, game, seat)), freeSeats(game).map((index) => h("li", { class: "room-seat is-free", key: `free ${index}` }, texts.free))),
      h("p", { class: "room-options" }, optionsOf(app, game).join(" · ")),
    ),
    seated ? [invitation(app, game), bots(app, game), beginning(app, game)] : looker(app, game),
  );
}

/** @param {Game} game */
function freeSeats({ seatsMax, view }) {
  return Array.from({ length: Math.max(0, Math.min(seatsMax, view.seats.length + 4) - view.seats.length) }, (_, index) => index);
}

/** @param {TableApp} app @param {Game} game @param {SeatView} seat */
function takenSeat({ words, state }, game, seat) {
  const texts = words.messages.table;
  const bot = seat.kind === "bot";
  const own = seat.seat === game.view.viewer;
  return h(
    "li",
    { class: ["room-seat", own && "is-own"], key: seat.playerId },
    h("span", { class: "room-name" }, seat.name),
    h(
      "span",
      { class: "row" },
      own && h("span", { class: "tag" }, texts.you),
      bot && h("span", { class: "tag" }, texts.bot),
      seat.playerId === game.ownerId && h("span", { class: "tag" }, texts.host),
      !bot && !game.connected.includes(seat.seat) && h("span", { class: "tag is-away" }, texts.away),
    ),
    bot && game.view.viewer !== null && h("button", { class: "plain", "aria-label": texts.room.remove({ name: seat.name }), disabled: state.pending !== null, onclick: () => state.moves?.removeBot(seat.seat) }, "×"),
  );
}

/** @param {TableApp} app @param {Game} game */
function optionsOf({ words }, { view, private: hidden }) {
  const texts = words.messages.table.room;
  const { diceEach, turnSeconds, chips, wildAces } = view.options;
  return [
    ...(hidden ? [texts.private] : []),
    texts.diceEach({ count: diceEach ?? 5 }),
    turnSeconds === null ? texts.noClock : texts.turnSeconds({ seconds: turnSeconds }),
    ...(chips ? [texts.withChips] : []),
    ...(wildAces ? [texts.wildAces] : []),
  ];
}

/** @param {TableApp} app @param {Game} game */
function invitation({ words, state, update }, { view, invitationCode }) {
  const texts = words.messages.table.room;
  const address = `${location.origin}/join/${view.gameId}${invitationCode ? `#${invitationCode}` : ""}`;
  const copy = async () => {
    await navigator.clipboard.writeText(address).catch(() => document.querySelector(/** @type {"input"} */ ("#invitation"))?.select());
    update({ copied: true });
    setTimeout(() => update({ copied: false }), COPIED_MILLISECONDS);
  };
  return h(
    "section",
    { class: "card" },
    h("h3", null, texts.invite),
    h("label", null, texts.inviteHint, h("input", { id: "invitation", readonly: true, ".value": address, onfocus: (/** @type {any} */ event) => event.target.select() })),
    h("button", { onclick: copy }, state.copied ? `✓ ${texts.copied}` : texts.copy),
  );
}

/** @param {TableApp} app @param {Game} game */
function bots({ words, state }, { view, seatsMax }) {
  const texts = words.messages.table.room;
  const full = view.seats.length >= seatsMax;
  return h(
    "section",
    { class: "card" },
    h("h3", null, texts.addBot),
    full && h("p", { class: "soft" }, texts.full),
    h("div", { class: "tempers" }, TEMPERS.map((temper) => h(
      "button",
      { disabled: full || state.pending !== null, key: temper, onclick: () => state.moves?.addBot(temper) },
      h("span", null, "+ ", texts.tempers[temper]), h("span", { class: "soft small" }, texts.temperHints[temper]),
    ))),
  );
}

/** @param {TableApp} app @param {Game} game */
function beginning(app, { view }) {
  const { words, state, update } = app;
  const texts = words.messages.table.room;
  return h(
    "section",
    { class: "card" },
    h("p", { class: "soft" }, view.moves.start ? texts.startHint : texts.tooFew),
    h("button", { class: "primary start", disabled: !view.moves.start || state.pending !== null, onclick: () => state.moves?.start() }, texts.start),
    h("button", { class: "plain", onclick: () => update({ dialog: "leave" }) }, texts.leave),
    commandLine(app),
  );
}

/** For those who look on. @param {TableApp} app @param {Game} game */
function looker({ words, route }, { view, seatsMax }) {
  const texts = words.messages.table.room;
  const free = seatsMax === 0 || view.seats.length < seatsMax || route.path.startsWith("/watch/");
  return h("section", { class: "card" }, h("p", null, texts.waiting), free && h("a", { class: "button primary", href: `/join/${view.gameId}${location.hash}` }, texts.sitDown));
}
