/** What the player does at the table. A move is made for the version of the game that the player saw, so it is made once or not at all. */

import { Refused, Unreachable } from "../../client/index.js";
import { NOTHING_CHOSEN } from "./table_state.js";

/** @import {Table} from "../../client/index.js" */
/** @import {Pending, TableApp} from "./table_state.js" */

/** The moves that are tried for as long as the page is open: they name the version that they are for. */
const REPEATED = new Set(["bid", "challenge", "show"]);

export class Moves {
  #app;
  #table;
  /** When the move that is on its way has been answered. */
  #answered = Promise.resolve();

  /** @param {TableApp} app @param {Table} table */
  constructor(app, table) {
    this.#app = app;
    this.#table = table;
  }

  /** Wait until no move is on its way, for what is typed ahead. */
  async idle() {
    while (this.#app.state.pending !== null) await this.#answered;
  }

  /** @param {number} quantity @param {number} face @param {number[]} show the faces of the dice to show */
  bid(quantity, face, show = []) {
    return this.#make({ name: "bid", quantity, face }, (expecting) => this.#table.bid(quantity, face, { show, ...expecting }));
  }

  challenge() {
    return this.#make({ name: "challenge" }, (expecting) => this.#table.challenge(expecting));
  }

  /** Doubt as it was set in advance; if the bid is gone by then, nothing happens. */
  async doubtAsPlanned() {
    const said = this.#app.words.messages.table.doubt.done;
    if (await this.#make({ name: "challenge" }, (expecting) => this.#table.challenge(expecting), { quiet: true })) {
      this.#app.update({ doubt: null });
      this.#app.notify(said);
    }
  }

  /** @param {number[]} shown */
  show(shown) {
    return this.#make({ name: "show" }, (expecting) => this.#table.showAndReroll(shown, expecting));
  }

  /** A seat whose chain is kept here rolls by itself; one whose chain the server keeps, too. This is for those in doubt. */
  roll() {
    return this.#make({ name: "roll" }, () => this.#table.roll());
  }

  forfeit() {
    return this.#make({ name: "forfeit" }, () => this.#table.forfeit());
  }

  /** @param {string} strategy */
  addBot(strategy) {
    return this.#make({ name: "bot" }, () => this.#table.addBot(strategy));
  }

  /** @param {number} botSeat */
  removeBot(botSeat) {
    return this.#make({ name: "bot" }, () => this.#table.leave({ botSeat }));
  }

  start() {
    return this.#make({ name: "start" }, () => this.#table.start());
  }

  async leave() {
    if (await this.#make({ name: "leave" }, () => this.#table.leave())) this.#app.go("/");
  }

  async rematch() {
    let gameId = "";
    const made = await this.#make({ name: "rematch" }, async () => {
      ({ gameId } = await this.#table.rematch());
    });
    if (made) this.#app.go(`/play/${gameId}`);
  }

  /** Whether a move was made. @param {Pending} pending @param {(expecting: {expectedVersion: number}) => Promise<unknown>} carryOut */
  async #make(pending, carryOut, { quiet = false } = {}) {
    const { game, line, pending: before } = this.#app.state;
    if (game === null || before !== null) return false;
    const { promise, resolve } = resolvable();
    this.#answered = promise;
    this.#app.update({ pending });
    try {
      await this.#carryOut(pending, carryOut, game.version);
      // What the player has typed meanwhile is for the next move.
      this.#app.update({ choice: NOTHING_CHOSEN, line: this.#app.state.line === line ? "" : this.#app.state.line });
      return true;
    } catch (error) {
      if (!(quiet && error instanceof Refused)) this.#app.failed(error);
      return false;
    } finally {
      this.#app.update({ pending: null });
      resolve();
    }
  }

  /** Try until the server answers, as long as the page is open. @param {Pending} pending @param {(expecting: {expectedVersion: number}) => Promise<unknown>} carryOut @param {number} expectedVersion */
  async #carryOut({ name }, carryOut, expectedVersion) {
    for (let unsure = false; !this.#app.signal.aborted; unsure = true) {
      try {
        return await carryOut({ expectedVersion });
      } catch (error) {
        // The client has tried for a while with one request id. With the version, a further try can't make the move twice.
        if (error instanceof Unreachable && REPEATED.has(name)) continue;
        if (unsure && error instanceof Refused && error.reason === "VERSION_MOVED") return;
        throw error;
      }
    }
  }
}

/** A promise, and the function that fulfils it. */
function resolvable() {
  let resolve = () => {};
  const promise = /** @type {Promise<void>} */ (new Promise((done) => (resolve = () => done())));
  return { promise, resolve };
}
