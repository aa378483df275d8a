/** Where the player decides: bids, doubts, shows dice, or says in advance what to doubt. */

import { h } from "../core/render.js";
import { die, faceName } from "../dice/die.js";
import { FACES, lowestOf, offers, pickedQuantity, shownFaces, stepped } from "./choice.js";
import { commandLine } from "./command_line.js";
import { doubtField } from "./doubt_field.js";
import { diceInPlay, isOwnTurn, lookOf } from "./looks.js";
import { chanceOf } from "./odds.js";
import { bidText, nameOf } from "./sentences.js";

/** @import {Bid, Game, GameView} from "../../client/messages/types.js" */
/** @import {TableApp} from "./table_state.js" */

/** Whether the player can do something now. @param {TableApp["state"]} state */
export function isFree({ game, caughtUp, reveal, pending }) {
  return game !== null && caughtUp && reveal === null && pending === null;
}

/** @param {TableApp} app */
export function desk(app) {
  const { game } = app.state;
  if (game === null || game.view.viewer === null) return null;
  const { view } = game;
  return h(
    "section",
    { class: "desk", "aria-label": app.words.messages.table.yourMove },
    h("p", { class: "desk-state", role: "status" }, deskState(app, game)),
    picker(app, view),
    h("div", { class: "desk-row" }, challengeButton(app, view), showButton(app, view)),
    doubtField(app),
    commandLine(app),
  );
}

/** @param {TableApp} app @param {Game} game */
function deskState({ state, words }, { view }) {
  const texts = words.messages.table;
  if (state.pending !== null) return state.connected ? texts.wait.sending : `${texts.connection.lost}. ${texts.connection.kept}`;
  if (view.viewer !== null && view.seats[view.viewer]?.out) return texts.wait.out;
  if (state.reveal !== null) return texts.wait.reveal;
  if (isOwnTurn(view) && isFree(state)) return view.moves.showMax > 0 ? texts.show.hintBid : texts.yourTurn;
  if (view.moves.showNow && isFree(state)) return texts.show.hintNow;
  if (view.phase !== "bidding") return texts.wait.rolling;
  const [seat] = view.waiting;
  return seat === undefined || seat === view.viewer ? texts.wait.others : texts.waitingFor({ name: nameOf(view, seat) });
}

/** How many, and of which face: one tap on a face makes the bid. @param {TableApp} app @param {GameView} view */
function picker(app, view) {
  const { state, words } = app;
  const texts = words.messages.table;
  const free = isFree(state) && isOwnTurn(view);
  const quantity = pickedQuantity(view, state.choice);
  const lowest = pickedQuantity(view, { ...state.choice, quantity: 0 });
  const step = (/** @type {number} */ by) => () => app.update({ choice: stepped(view, app.state.choice, by) });
  const bids = offers(view, state.choice);
  return h(
    "div",
    { class: "picker" },
    h(
      "div",
      { class: "stepper", role: "group", "aria-label": texts.quantity },
      h("button", { "aria-label": texts.fewer, disabled: !free || quantity === lowest, onclick: step(-1) }, "−"),
      h("output", { "aria-live": "polite" }, quantity ?? "–"),
      h("button", { "aria-label": texts.more, disabled: !free, onclick: step(1) }, "+"),
    ),
    h("div", { class: "bid-faces", role: "group", "aria-label": texts.yourMove }, FACES.map((face, index) => faceButton(app, view, face, bids[index] ?? null, free))),
  );
}

/** @param {TableApp} app @param {GameView} view @param {number} face @param {Bid | null} bid @param {boolean} free */
function faceButton({ state, words, preferences }, view, face, bid, free) {
  const texts = words.messages.table;
  const show = shownFaces(view, state.choice);
  const told = bid === null ? "" : bidText(bid, words, view);
  const label = bid === null ? texts.notNow({ face: faceName(face, view.wildName, words) })
    : show.length > 0 ? texts.makeBidAndShow({ bid: told, count: show.length }) : texts.makeBid({ bid: told });
  const beyond = bid !== null && bid.quantity > diceInPlay(view);
  return h(
    "button",
    {
      class: ["face", bid !== null && bid.quantity === lowestOf(view, face) && "is-lowest", beyond && "is-beyond"],
      disabled: !free || bid === null, "aria-label": label, title: beyond ? texts.beyondDice : null, "data-face": face, key: `face ${face}`,
      onclick: () => bid !== null && state.moves?.bid(bid.quantity, bid.face, show),
    },
    h("span", { class: "face-bid" }, h("span", { class: "face-quantity" }, bid?.quantity ?? "–"), die(face, { wild: view.wildName, words })),
    preferences.odds && h("span", { class: "face-odds" }, bid === null ? "" : words.percent(chanceOf(view, bid))),
  );
}

/** @param {TableApp} app @param {GameView} view */
function challengeButton({ state, words }, view) {
  const text = words.messages.table.challenge[lookOf(view.rulebook).challenge];
  const disabled = !isFree(state) || !view.moves.challenge;
  return h("button", { class: "challenge", disabled, onclick: () => state.moves?.challenge() }, text, h("kbd", { "aria-hidden": "true" }, "d"));
}

/** @param {TableApp} app @param {GameView} view */
function showButton({ state, words }, view) {
  const texts = words.messages.table.show;
  const show = shownFaces(view, state.choice);
  if (!view.moves.showNow) return show.length > 0 && h("span", { class: "soft small" }, texts.chosen({ count: show.length }));
  return h("button", { disabled: !isFree(state) || show.length === 0, onclick: () => state.moves?.show(show) }, texts.button({ count: show.length }));
}
