/**
 * Shows what happens, one thing after the other. A challenge takes a moment to tell; what arrives meanwhile waits, but never longer than
 * a few seconds, because a clock may run.
 */

import { prefersStillness } from "../core/preferences.js";
import { play } from "../sound/sound.js";
import { standingDoubt } from "./doubt.js";
import { isOwnTurn } from "./looks.js";
import { revealIn, stepsOf } from "./reveal.js";
import { sentenceOf } from "./sentences.js";
import { NOTHING_CHOSEN } from "./table_state.js";

/** @import {GameEvent, Update} from "../../client/messages/types.js" */
/** @import {TableApp} from "./table_state.js" */

const WAIT_MILLISECONDS_MAX = 4_000;
const BETWEEN_MILLISECONDS = 260;

export class Playback {
  #app;
  /** @type {{update: Update, arrived: number}[]} */
  #queue = [];
  #playing = false;
  #skip = () => {};

  /** @param {TableApp} app */
  constructor(app) {
    this.#app = app;
  }

  /** Show what happened before the reader came: at once. @param {Update} update */
  past(update) {
    this.#show(update, update.events);
    this.#turn();
  }

  /** Show what happens now, after what still waits. @param {Update} update */
  add(update) {
    this.#queue.push({ update, arrived: performance.now() });
    if (!this.#playing) this.#play();
  }

  /** Go on at once. */
  skip() {
    this.#skip();
  }

  async #play() {
    this.#playing = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const { update, arrived } = next;
      const left = document.hidden || prefersStillness() ? 0 : WAIT_MILLISECONDS_MAX - (performance.now() - arrived);
      await this.#tell(update, left);
      if (this.#queue.length > 0 && left > BETWEEN_MILLISECONDS) await this.#pause(BETWEEN_MILLISECONDS);
    }
    this.#playing = false;
    this.#turn();
  }

  /** @param {Update} update @param {number} left milliseconds that it may take */
  async #tell(update, left) {
    const { game } = this.#app.state;
    const reveal = game === null ? null : revealIn(update.events, game.view);
    let { events } = update;
    if (reveal !== null && left > 0) {
      const begun = events.findIndex(({ type }) => type === "CupsLifted");
      this.#happened(events.slice(0, begun));
      this.#app.update({ caughtUp: false, reveal });
      events = events.slice(begun);
      await this.#reveal(reveal, left);
    }
    this.#say(events);
    this.#show(update, events);
  }

  /** @param {import("./reveal.js").Reveal} reveal @param {number} left */
  async #reveal(reveal, left) {
    const until = performance.now() + left;
    let skipped = false;
    for (const { shown, milliseconds } of stepsOf(reveal)) {
      if (skipped) break;
      this.#app.update({ reveal: shown });
      if (this.#app.preferences.sound) play(shown.told ? "told" : shown.counted > 0 ? "count" : "lift");
      skipped = await this.#pause(Math.min(milliseconds, until - performance.now()));
    }
  }

  /** Wait; the answer is whether somebody wants to go on at once. @param {number} milliseconds @returns {Promise<boolean>} */
  #pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), Math.max(0, milliseconds));
      this.#skip = () => {
        clearTimeout(timer);
        resolve(true);
      };
      this.#app.signal.addEventListener("abort", this.#skip, { once: true });
    });
  }

  /** @param {Update} update @param {GameEvent[]} events */
  #show({ game, proven, rematchId }, events) {
    const { state } = this.#app;
    const last = events.at(-1);
    const changed = state.game === null || state.game.version !== game.version;
    this.#app.update({
      game,
      events: [...state.events, ...events],
      reveal: null,
      caughtUp: this.#queue.length === 0,
      ...(changed ? { choice: NOTHING_CHOSEN } : {}),
      ...(events.some(({ type }) => type === "RoundEnded" || type === "GameEnded") ? { doubt: null } : {}),
      ...(proven === null ? {} : { proven, provenDice: proven.dice - (state.proven?.dice ?? 0) }),
      ...(rematchId || game.rematchId ? { rematchId: rematchId ?? game.rematchId } : {}),
      ...(last?.at ? { skew: skewOf(state.skew, last.at) } : {}),
    });
  }

  /** @param {GameEvent[]} events */
  #happened(events) {
    this.#say(events);
    this.#app.update({ events: [...this.#app.state.events, ...events] });
  }

  /** @param {GameEvent[]} events */
  #say(events) {
    const { game, reveal } = this.#app.state;
    if (game === null) return;
    for (const event of events) {
      const sentence = sentenceOf(event, this.#app.words, game.view);
      if (sentence !== null) this.#app.announce(sentence);
      if (this.#app.preferences.sound && reveal === null) play(event.type === "DiceDealt" || event.type === "DiceRerolled" ? "rattle" : event.type === "BidPlaced" ? "bid" : null);
    }
  }

  /** What to do once everything is shown: a doubt set in advance, or a knock. */
  #turn() {
    const { game, moves } = this.#app.state;
    if (game === null || moves === null || !isOwnTurn(game.view) || this.#turned === game.version) return;
    this.#turned = game.version;
    this.#app.announce(this.#app.words.messages.table.yourTurn);
    if (this.#app.preferences.sound) play("knock");
    if (standingDoubt(this.#app.state.doubt, game.view)) moves.doubtAsPlanned();
  }

  /** The version at which the player's turn was told. */
  #turned = 0;
}

/** How far this machine's clock is ahead: news can't be older than their way. @param {number} known @param {number} at */
function skewOf(known, at) {
  const behind = Date.now() - at;
  return behind < 0 || Math.abs(behind) < Math.abs(known) ? behind : known;
}
