/** A table at the server: what the player does there, and what happens. */

/** @import {Done, Findings, Game, PlayerJoined, Update} from "./messages/types.js" */
/** @import {Connection} from "./transport/connection.js" */
/** @import {Message} from "./transport/message_stream.js" */
/** @import {Command, Move} from "./seats/move.js" */
/** @import {SeatWishes, Seats} from "./seats/seats.js" */
import { Cursor } from "./cursor.js";
import { provenBy } from "./fairness/spectator.js";
import { GameStream } from "./game_stream.js";
import { doneOf, gameOf, receiptIn } from "./messages/games.js";
import { NO_LINK } from "./seats/move.js";
import { newRequestId } from "./transport/connection.js";
import { Refused } from "./transport/refusal.js";
import { wholeGame } from "./whole_game.js";

/**
 * For which version of the game a command was made: if the game has moved on, the server refuses it (VERSION_MOVED).
 * @typedef {{expectedVersion?: number}} Expecting
 */

/**
 * @typedef {object} Watching
 * @property {number | null} [after] begin with what happened after this version
 * @property {(connected: boolean) => void} [onConnection] called with false when the line is lost, and with true when it is there
 * @property {AbortSignal} [signal] which ends it
 * @property {boolean} [pastEnd] whether to go on after the end of the game, to hear of a rematch
 */

/** One table. Each command has a request id of its own, and keeps it when it is tried again. */
export class Table {
  #connection;
  #seats;
  #code;

  /** Use `Client.table`, `create` or `join`. @param {Connection} connection @param {Seats} seats @param {string} gameId */
  constructor(connection, seats, gameId, code = "") {
    this.#connection = connection;
    this.#seats = seats;
    this.gameId = gameId;
    this.#code = code;
  }

  /** How the game stands. @returns {Promise<Game>} */
  async game() {
    const request = { gameId: this.gameId, invitationCode: this.#code };
    const game = gameOf((await this.#connection.ask("GameService", "GetGame", request)).game);
    (await this.#seats.of(this.gameId))?.noteVersion(game);
    return game;
  }

  /** Whether the client keeps the chain of the player's seat, so that the seat can roll from here. */
  async keepsChain() {
    return (await this.#seats.of(this.gameId)) !== null;
  }

  /** The receipts for the player's commands in this game, as a file for `liarsdice verify --receipts`. */
  async receipts() {
    return this.#seats.receipts(this.gameId);
  }

  /** What the events so far prove about the dice; throws FalseServer if something does not hold. A practice game is refused,
   * because its past was copied. @returns {Promise<Findings>} */
  async checkDice() {
    const seat = await this.#seats.of(this.gameId);
    if (seat !== null) {
      await seat.readGame();
      return seat.proven();
    }
    const { events, game } = await wholeGame(this.#connection, this.gameId, this.#code);
    // A server gains nothing by calling a game a practice game: one with a seat whose chain is kept here is checked above.
    if (game.forkedFrom) throw practiceGame(this.gameId, game.forkedFrom);
    return provenBy(this.gameId, events);
  }

  /** How the game stands, and then all that happens, until it is over; each event once, whatever becomes of the line. A seat
   * whose chain the client keeps rolls by itself when it is called. @param {Watching} [watching] @returns {AsyncGenerator<Update, void, void>} */
  watch({ after = null, ...watching } = {}) {
    const check = (/** @type {Update} */ update) => this.#seats.checked(this.gameId, update);
    const roll = () => this.#seats.roll(this.gameId, this.#carryOut);
    return new GameStream(this.#connection, new Cursor(this.gameId, this.#code, after), { check, roll, ...watching }).updates();
  }

  /** Let a bot of the server take the next free seat. @param {string} strategy @param {Expecting} [expecting] */
  async addBot(strategy = "", expecting = {}) {
    return this.#called("AddBot", { ...this.#command(expecting), strategy });
  }

  /** Give the seat back before the start; or send a bot away. @param {{botSeat?: number} & Expecting} [asked] */
  async leave({ botSeat, ...expecting } = {}) {
    const done = await this.#called("LeaveGame", { ...this.#command(expecting), botSeat });
    if (botSeat === undefined) await this.#seats.forget(this.gameId);
    return done;
  }

  /** Close the table to joiners and begin. @param {{opener?: number} & Expecting} [asked] */
  async start({ opener, ...expecting } = {}) {
    return this.#called("StartGame", { ...this.#command(expecting), opener });
  }

  /** Roll. A seat whose chain the client keeps rolls by itself while the game is watched. @param {Expecting} [expecting] */
  async roll(expecting = {}) {
    return this.#move({ method: "Roll", request: { ...this.#command(expecting), link: NO_LINK } });
  }

  /** Open or raise and, where the rulebook allows it, show some dice and reroll the others in the same step.
   * @param {number} quantity @param {number} face @param {{show?: number[]} & Expecting} [asked] */
  async bid(quantity, face, { show = [], ...expecting } = {}) {
    const reroll = show.length > 0 ? { reroll: { shown: show, link: NO_LINK } } : {};
    return this.#move({ method: "PlaceBid", request: { ...this.#command(expecting), quantity, face, ...reroll } });
  }

  /** Show some dice and reroll the others, right after your bid. @param {number[]} shown @param {Expecting} [expecting] */
  async showAndReroll(shown, expecting = {}) {
    return this.#move({ method: "ShowAndReroll", request: { ...this.#command(expecting), reroll: { shown, link: NO_LINK } } });
  }

  /** Doubt the standing bid. @param {Expecting} [expecting] */
  async challenge(expecting = {}) {
    return this.#move({ method: "Challenge", request: this.#command(expecting) });
  }

  /** Give up the game. @param {Expecting} [expecting] */
  async forfeit(expecting = {}) {
    return this.#move({ method: "Forfeit", request: this.#command(expecting) });
  }

  /** Another table of the same kind, once the game is over, with a seat for the player and for the same bots. The new seat is as
   * safe as the old one unless the caller says otherwise. @param {SeatWishes} [wishes] @returns {Promise<Table>} */
  async rematch({ ownChain = null, signMoves } = {}) {
    const joined = await this.#joinedBefore();
    const signs = signMoves ?? (joined.signingKey !== null && ownChain !== false);
    const own = this.#seats.bringsChain({ ownChain: ownChain ?? (joined.chainHeldBy === "server" ? null : true), signMoves: signs });
    const request = { gameId: this.gameId, withoutSeat: own };
    const answer = await this.#connection.ask("GameService", "CreateRematch", request);
    const game = gameOf(answer.game);
    await this.#seats.accepted(game.view.gameId, receiptIn(answer).receipt);
    const table = new Table(this.#connection, this.#seats, game.view.gameId, game.invitationCode);
    await table.#sitDown(game, own, signs);
    return table;
  }

  /** Take a seat, with a chain of the client or without. @param {SeatWishes} wishes */
  async join({ ownChain = null, signMoves = false }) {
    if (this.#seats.bringsChain({ ownChain, signMoves })) return this.#seats.take(this.gameId, this.#code, signMoves);
    const request = { requestId: newRequestId(), gameId: this.gameId, invitationCode: this.#code };
    const answer = await this.#connection.ask("GameService", "JoinGame", request);
    await this.#seats.accepted(this.gameId, receiptIn(answer).receipt);
  }

  /** Take a seat at a rematch that has not begun. @param {Game} game @param {boolean} ownChain @param {boolean} signMoves */
  async #sitDown({ view }, ownChain, signMoves) {
    if (view.phase !== "gathering") return;
    const held = view.viewer === null ? null : view.seats[view.viewer]?.chainHeldBy;
    if (held !== null && !(ownChain && held === "server")) return;
    if (held !== null) await this.leave(); // The player sat down there before, without a chain.
    await this.join({ ownChain, signMoves });
  }

  /** The event with which the player took the seat in this game. @returns {Promise<PlayerJoined>} */
  async #joinedBefore() {
    const { events, game } = await wholeGame(this.#connection, this.gameId, this.#code);
    const me = game.view.viewer === null ? undefined : game.view.seats[game.view.viewer]?.playerId;
    const joined = events.filter((event) => event.type === "PlayerJoined").filter(({ playerId }) => playerId === me).at(-1);
    if (joined !== undefined) return joined;
    const sentence = `You have no seat at the table of game ${this.gameId}.`;
    throw new Refused("permission_denied", sentence, { reason: "NOT_SEATED" });
  }

  /** What a move did; a seat whose secrets the client keeps adds its link and its signature. @param {Move} move @returns {Promise<Done>} */
  async #move(move) {
    const seat = await this.#seats.of(this.gameId);
    return seat === null ? this.#carryOut(move) : seat.moved(move, this.#carryOut);
  }

  #carryOut = (/** @type {Move} */ { method, request }) => this.#called(method, request);

  /** @param {string} method @param {Message} request @returns {Promise<Done>} */
  async #called(method, request) {
    const done = doneOf((await this.#connection.ask("GameService", method, request)).result);
    await this.#seats.accepted(this.gameId, done.receipt, done);
    return done;
  }

  /** The fields that all requests of commands have. @param {Expecting} expecting @returns {Command} */
  #command({ expectedVersion }) {
    const command = { requestId: newRequestId(), gameId: this.gameId };
    return expectedVersion === undefined ? command : { ...command, expectedVersion };
  }
}

/** Why the client does not check the dice of a practice game. @param {string} gameId @param {string} forkedFrom */
function practiceGame(gameId, forkedFrom) {
  const sentence = `${gameId} is a practice game, whose dice are copied from game ${forkedFrom}; check that one`;
  return new Refused("failed_precondition", sentence, { reason: "PRACTICE_GAME", metadata: { forked_from: forkedFrom } });
}
