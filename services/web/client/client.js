/** The client of a server, which becomes a player, finds tables, sets them up and joins them. */

/** @import {GameSummary, Options, Phase, Player, Rulebook, ServerFreshness} from "./messages/types.js" */
/** @import {OpenWatch} from "./transport/connection.js" */
/** @import {Patience} from "./transport/retry.js" */
/** @import {Message} from "./transport/message_stream.js" */
/** @import {SeatKeeper} from "./seats/seat_keeper.js" */
/** @import {SeatWishes} from "./seats/seats.js" */
/** @import {TokenStore} from "./token_store.js" */
import { many, text } from "./messages/decode.js";
import { serverFreshnessOf } from "./messages/freshness.js";
import { gameOf, playerOf, receiptIn, rulebookOf, summaryOf } from "./messages/games.js";
import { optionsRequest, phasesRequest } from "./messages/requests.js";
import { Seats } from "./seats/seats.js";
import { Table } from "./table.js";
import { MemoryTokenStore } from "./token_store.js";
import { Connection, newRequestId } from "./transport/connection.js";
import { Refused } from "./transport/refusal.js";

const PAGE_SIZE = 50;

/**
 * @typedef {object} ClientSettings
 * @property {string | null} [token] by which the server knows the player
 * @property {TokenStore} [tokens] where tokens are kept; in memory if not set
 * @property {SeatKeeper | null} [seats] with it, the client brings its own chain to every seat that it takes
 * @property {Partial<Patience>} [patience]
 * @property {OpenWatch | null} [watching] another way to follow games than a stream for each, such as one stream for all tabs
 */

/**
 * @typedef {object} TableWishes
 * @property {Partial<Options>} [options]
 * @property {boolean} [private]
 * @property {number} [seats] how many the table has; if not set, as many as the rulebook allows
 * @property {number} [spectatorDelaySeconds]
 * @property {boolean} [withoutSeat] only set up the table
 */

/** @typedef {{joinable?: boolean, mine?: boolean, rulebook?: string, phases?: Phase[]}} Wanted */

/** One player at one server. */
export class Client {
  #connection;
  #seats;
  #tokens;
  /** The name that the token is kept under; null for one that the caller gave. @type {string | null} */
  #name = null;

  /** @param {string} address such as `https://dice.example` @param {ClientSettings} [settings] */
  constructor(address, { token = null, tokens = new MemoryTokenStore(), seats = null, patience = {}, watching = null } = {}) {
    this.#connection = new Connection(address, { token, patience, watching });
    this.#seats = new Seats(this.#connection, seats);
    this.#tokens = tokens;
  }

  /** The address of the server. */
  get address() {
    return this.#connection.address;
  }

  /** The token by which the server knows the player; anyone who has it can act as the player. */
  get token() {
    return this.#connection.token;
  }

  /** Become a new player, and keep the token. @param {string} name @returns {Promise<Player>} */
  async register(name) {
    const answer = await this.call("PlayerService", "Register", { name });
    const player = playerOf(answer.player);
    await this.#use(text(answer.token), name);
    this.#seats.become(player.playerId);
    return player;
  }

  /** Be the player whose token is kept under this name; a new one if there is none. @param {string} name @returns {Promise<Player>} */
  async signIn(name) {
    const token = await this.#tokens.find(this.address, name);
    if (token === null) return this.register(name);
    this.#connection.token = token;
    this.#name = name;
    this.#seats.become(null);
    try {
      return await this.player();
    } catch (error) {
      // A token that has ended is worth nothing, and a player without one can always register again.
      if (error instanceof Refused && error.reason === "TOKEN_INVALID") return this.register(name);
      throw error;
    }
  }

  /** The player that the token stands for. @returns {Promise<Player>} */
  async player() {
    return playerOf((await this.call("PlayerService", "GetPlayer")).player);
  }

  /** Exchange the token for a new one. */
  async rotateToken() {
    const { token } = await this.call("PlayerService", "RotateToken");
    await this.#use(text(token), this.#name);
  }

  /** Make the token, or all tokens of the player, invalid, and forget it. */
  async revokeToken({ everything = false } = {}) {
    await this.call("PlayerService", "RevokeToken", { all: everything });
    await this.#use(null, this.#name);
  }

  /** The rulebooks that the server plays. @returns {Promise<Rulebook[]>} */
  async rulebooks() {
    return many(rulebookOf)((await this.call("GameService", "ListRulebooks")).rulebooks);
  }

  /** How fresh the lists, exports and statistics of the server are. @returns {Promise<ServerFreshness>} */
  async freshness() {
    return serverFreshnessOf(await this.call("ReplayService", "GetFreshness"));
  }

  /** The tables to join, to watch or to come back to, the newest first; further pages are asked for as needed.
   * @param {Wanted} [wanted] @returns {AsyncGenerator<GameSummary, void, void>} */
  async *games({ phases = [], ...wanted } = {}) {
    const request = { pageSize: PAGE_SIZE, phases: phasesRequest(phases), ...wanted };
    for await (const page of this.pages("GameService", "ListGames", request)) yield* many(summaryOf)(page.games);
  }

  /** Set up a table and, unless the client only wants to run it, take a seat as `join` does.
   * @param {string} rulebook @param {TableWishes & SeatWishes} [wishes] @returns {Promise<Table>} */
  async create(rulebook, { options = {}, private: closed = false, seats, spectatorDelaySeconds, withoutSeat = false, ...wishes } = {}) {
    const own = !withoutSeat && this.#seats.bringsChain(wishes);
    const answer = await this.call("GameService", "CreateGame", {
      requestId: newRequestId(),
      rulebook,
      options: optionsRequest(options),
      private: closed,
      seatsMax: seats,
      spectatorDelaySeconds,
      // A chain depends on the id of the game, so a player who brings one sits down afterwards.
      withoutSeat: withoutSeat || own,
    });
    const game = gameOf(answer.game);
    const table = this.table(game.view.gameId, game.invitationCode);
    await this.#seats.accepted(table.gameId, receiptIn(answer).receipt);
    if (own) await table.join(wishes);
    return table;
  }

  /** Take the next free seat of a table; a private one needs its invitation code. With `ownChain`, which is the default for a
   * client with a keeper of seats, the client keeps the secrets and rolls; with `signMoves` it also signs all moves.
   * @param {string} gameId @param {{code?: string} & SeatWishes} [wishes] @returns {Promise<Table>} */
  async join(gameId, { code = "", ...wishes } = {}) {
    const table = this.table(gameId, code);
    await table.join(wishes);
    return table;
  }

  /** A table whose id is known: one that the player sits at, or one to watch. @param {string} gameId */
  table(gameId, code = "") {
    return new Table(this.#connection, this.#seats, gameId, code);
  }

  /** The answer to any call of the contract with one answer, as JSON of protobuf.
   * @param {string} service such as `AuditService` @param {string} method @param {Message} [request] @returns {Promise<Message>} */
  async call(service, method, request = {}) {
    return this.#connection.ask(service, method, request);
  }

  /** The pages of any list, each asked for when it is needed. @param {string} service @param {string} method @param {Message} [request] */
  async *pages(service, method, request = {}) {
    for (let token = ""; ; ) {
      const page = await this.call(service, method, token ? { ...request, pageToken: token } : request);
      yield page;
      token = text(page.nextPageToken);
      if (!token) return;
    }
  }

  /** The answers to any call of the contract with many answers. If it breaks, it is not resumed.
   * @param {string} service @param {string} method @param {Message} [request] */
  async *stream(service, method, request = {}) {
    const stream = await this.#connection.open(service, method, request);
    try {
      for (let message = await stream.next(); message !== null; message = await stream.next()) yield message;
    } finally {
      stream.cancel();
    }
  }

  /** @param {string | null} token @param {string | null} name */
  async #use(token, name) {
    this.#connection.token = token;
    this.#name = name;
    if (name !== null) await this.#tokens.keep(this.address, name, token);
  }
}
