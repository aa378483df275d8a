/** The player's seats whose chains the client keeps: it takes them, finds them again and gives them back. */

/** @import {Bytes} from "../bytes.js" */
/** @import {Done, Game, Update} from "../messages/types.js" */
/** @import {Connection} from "../transport/connection.js" */
/** @import {CarryOut} from "./move.js" */
/** @import {Kept, SeatKeeper} from "./seat_keeper.js" */
import { bookOf, chainLength, diceEachOf } from "../fairness/books.js";
import { LINK_LENGTH } from "../fairness/chain.js";
import { gameOf, playerOf, receiptIn } from "../messages/games.js";
import { Receipts, fileOf, lineOf } from "../receipts.js";
import { newRequestId } from "../transport/connection.js";
import { FalseServer, KeptBack, Refused, Unreachable } from "../transport/refusal.js";
import { Seat } from "./seat.js";
import { MemorySeatKeeper } from "./seat_keeper.js";
import { newSigningKey } from "./signer.js";

/**
 * @typedef {object} SeatWishes
 * @property {boolean | null} [ownChain] whether the client keeps the chain; if not set, it does if it has a keeper of seats
 * @property {boolean} [signMoves]
 */

/** One player's seats. A client without a keeper knows them as long as it lives. */
export class Seats {
  #connection;
  #keeper;
  #receipts;
  /** @type {Map<string, Promise<Seat | null>>} */
  #seats = new Map();
  /** @type {string | null} */
  #playerId = null;

  /** @param {Connection} connection @param {SeatKeeper | null} keeper */
  constructor(connection, keeper) {
    this.#connection = connection;
    this.#keeper = keeper ?? new MemorySeatKeeper();
    this.#receipts = new Receipts(connection);
    /** Whether the client brings a chain to a seat if the caller does not say. */
    this.byDefault = keeper !== null;
  }

  /** Whether to bring a chain to a new seat, as the caller says; a seat that signs needs one. @param {SeatWishes} wishes */
  bringsChain({ ownChain = null, signMoves = false }) {
    if (ownChain === false && signMoves) throw new TypeError("to sign your moves you must also bring your own chain");
    return signMoves || (ownChain ?? this.byDefault);
  }

  /** The seat in a game whose chain the client keeps; null if there is none. @param {string} gameId */
  async of(gameId) {
    const known = this.#seats.get(gameId);
    if (known !== undefined || !this.byDefault) return known ?? null;
    const found = this.#found(gameId);
    this.#seats.set(gameId, found);
    found.catch(() => this.#seats.delete(gameId)); // It is looked for again, the next time it is needed.
    return found;
  }

  /** An update as the seat has checked it; once the game is over the seat is forgotten. @param {string} gameId @param {Update} update */
  async checked(gameId, update) {
    let seat;
    try {
      seat = await this.of(gameId);
    } catch (error) {
      if (error instanceof Refused || error instanceof Unreachable) return update; // As before: it is looked for again.
      throw error;
    }
    if (seat === null) return update;
    const checked = await seat.checked(update);
    // The seat may be further than the stream, which still brings what has to be compared.
    if (seat.over && update.game.view.phase === "ended") await this.forget(gameId);
    return checked;
  }

  /** Roll if the game waits for it. @param {string} gameId @param {CarryOut} carryOut */
  async roll(gameId, carryOut) {
    await (await this.of(gameId))?.roll(carryOut);
  }

  /** Check and keep the receipt for a command that the server says it has carried out.
   * @param {string} gameId @param {Bytes} receipt @param {Done | null} [done] */
  async accepted(gameId, receipt, done = null) {
    if (receipt.length === 0) return; // An older server gives none.
    await this.#receipts.check(gameId, receipt, done);
    await this.#keeper.addReceipt?.(await this.#ofReceipts(gameId), lineOf(receipt));
  }

  /** The kept receipts of a game, as a file for `liarsdice verify --receipts`. @param {string} gameId */
  async receipts(gameId) {
    return fileOf(gameId, (await this.#keeper.receipts?.(await this.#ofReceipts(gameId))) ?? []);
  }

  /** Take a seat with a chain of its own, whose secrets are kept before the server hears of it.
   * @param {string} gameId @param {string} code @param {boolean} signMoves */
  async take(gameId, code, signMoves) {
    const answer = await this.#connection.ask("GameService", "GetGame", { gameId, invitationCode: code });
    const game = gameOf(answer.game);
    const before = await this.#kept(gameId);
    // Secrets that are kept already stay: the seat may be taken, and only the answer to that was lost.
    const stays = before !== null && (game.view.viewer !== null || (before.signingKey !== null) === signMoves);
    const kept = stays ? before : await this.#newSecrets(gameId, game, signMoves);
    const seat = await Seat.from(this.#connection, this.#keeper, kept);
    if (!stays) await this.#keeper.keep(kept);
    this.#seats.set(gameId, Promise.resolve(seat));
    const request = { requestId: newRequestId(), gameId, invitationCode: code, ...seat.promise };
    let joined;
    try {
      joined = await this.#connection.ask("GameService", "JoinGame", request);
    } catch (error) {
      if (!stays && error instanceof Refused && !error.passing) await this.forget(gameId);
      throw error;
    }
    await this.accepted(gameId, receiptIn(joined).receipt);
  }

  /** Forget a seat that was given back, or whose game is over. @param {string} gameId */
  async forget(gameId) {
    const seat = await this.#seats.get(gameId);
    this.#seats.delete(gameId);
    if (seat) await this.#keeper.forget(seat.kept);
  }

  /** Be this player from now on; null until the server says who it is. @param {string | null} playerId */
  become(playerId) {
    this.#playerId = playerId;
    this.#seats.clear();
  }

  /** @param {string} gameId @returns {Promise<Seat | null>} */
  async #found(gameId) {
    const kept = await this.#kept(gameId);
    return kept === null ? null : Seat.from(this.#connection, this.#keeper, kept);
  }

  /** @param {string} gameId @param {Game} game @param {boolean} signMoves @returns {Promise<Kept>} */
  async #newSecrets(gameId, game, signMoves) {
    return {
      server: this.#connection.address,
      playerId: await this.#player(),
      gameId,
      length: lengthOf(gameId, game),
      seed: crypto.getRandomValues(new Uint8Array(LINK_LENGTH)),
      signingKey: signMoves ? newSigningKey() : null,
      sent: null,
    };
  }

  /** @param {string} gameId */
  async #kept(gameId) {
    return this.#keeper.find({ server: this.#connection.address, playerId: await this.#player(), gameId });
  }

  /** Where receipts are kept. Without a keeper of the caller they end with this program, and then no name is needed.
   * @param {string} gameId */
  async #ofReceipts(gameId) {
    return { server: this.#connection.address, playerId: this.byDefault ? await this.#player() : "", gameId };
  }

  async #player() {
    if (this.#playerId === null) {
      const answer = await this.#connection.ask("PlayerService", "GetPlayer", {});
      this.#playerId = playerOf(answer.player).playerId;
    }
    return this.#playerId;
  }
}

/** How many links the chains of a game have, by its book. @param {string} gameId @param {Game} game */
function lengthOf(gameId, { chainLength: told, seatsMax, view }) {
  const book = bookOf(view.rulebook, view.rulebookVersion);
  if (book === null) {
    const sentence = `This client does not know version ${view.rulebookVersion} of ${view.rulebook} and can't count its calls.`;
    throw new KeptBack("unimplemented", sentence, { reason: "RULEBOOK_UNKNOWN" });
  }
  const length = chainLength(book, seatsMax, diceEachOf(view.options));
  if (told !== length) throw new FalseServer(gameId, `its chains have ${length} links, not ${told}`);
  return length;
}
