/**
 * A seat whose chain the client keeps: it rolls when the game calls it, signs if it has a key, and trusts no server.
 *
 * The dice of a deal follow from one link of every seat and one of the server. A link gives away all links with lower
 * numbers. A server that gets a link before its time foresees the dice that the link helps to make. It can try this in three ways:
 *
 * - **It calls for a number that is not due.** The client counts by itself, and sends only the link that is due by its own
 *   count, after it has checked everything that the server has sent so far.
 * - **It changes the past after it got a link**, so that the same link makes other dice. Before a link leaves, its number is
 *   kept, together with a hash of all that mattered to the dice by then. From then on no lower number leaves, not even after a
 *   restart, and the server must stand by that past.
 * - **It takes the link of a reroll and refuses the reroll, or does not answer.** The next reroll would take the same link,
 *   which the server then knows. So there is no other reroll in that round; the next round takes higher numbers.
 *
 * A server that was found false once gets nothing more for this seat: `FalseServer` is thrown again and again.
 * `docs/reference/fair-dice.md` has the same as rules for clients in any language ("What a client has to do").
 */

/** @import {Done, Game, Update} from "../messages/types.js" */
/** @import {Connection} from "../transport/connection.js" */
/** @import {CarryOut, Move} from "./move.js" */
/** @import {Kept, SeatKeeper, Sent} from "./seat_keeper.js" */
/** @import {Seen} from "./signer.js" */
import { toBase64 } from "../bytes.js";
import { Chain } from "../fairness/chain.js";
import { newRequestId } from "../transport/connection.js";
import { FalseServer, KeptBack, Refused, Unreachable } from "../transport/refusal.js";
import { wholeGame } from "../whole_game.js";
import { CheckedGame } from "./checked_game.js";
import { NO_LINK, isWorthItsLink, rerollOf } from "./move.js";
import { isHigher } from "./seat_keeper.js";
import { Signer } from "./signer.js";
import { Turns } from "./turns.js";

const SIGNINGS_MAX = 10;

/** One seat of the player, in one game. */
export class Seat {
  #connection;
  #chain;
  #signer;
  #game;
  #turns = new Turns();
  /** Notes that a link leaves, and returns what was noted before. @type {(sent: Sent) => Promise<Sent | null>} */
  #note;
  /** @type {Sent | null} */
  #sent;
  /** @type {Seen} */
  #seen = { version: 0, digest: new Uint8Array() };
  /** The latest version that an update or a read has brought. The answer to a move may be ahead of it. */
  #told = 0;
  /** The number of the last roll that the server has confirmed. */
  #rolled = 0;
  /** @type {FalseServer | null} */
  #false = null;

  /** Use `Seat.from`. @param {Connection} connection @param {SeatKeeper} keeper @param {Kept} kept @param {Chain} chain @param {Signer | null} signer */
  constructor(connection, keeper, kept, chain, signer) {
    this.#connection = connection;
    this.kept = Object.freeze({ server: kept.server, playerId: kept.playerId, gameId: kept.gameId });
    this.#chain = chain;
    this.#signer = signer;
    this.#game = new CheckedGame(kept, { anchor: chain.anchor, signingKey: signer?.publicKey ?? null });
    this.#sent = kept.sent;
    this.#note = (sent) => keeper.note(kept, sent);
  }

  /** The seat with these secrets. @param {Connection} connection @param {SeatKeeper} keeper @param {Kept} kept */
  static async from(connection, keeper, kept) {
    const signer = kept.signingKey === null ? null : await Signer.from(kept.signingKey);
    return new Seat(connection, keeper, kept, await Chain.from(kept.seed, kept.gameId, kept.length), signer);
  }

  /** The public part of the secrets, which the server gets when the seat is taken. */
  get promise() {
    return { anchor: this.#chain.anchor, signingKey: this.#signer?.publicKey ?? NO_LINK };
  }

  /** Whether the game has ended. */
  get over() {
    return this.#game.over;
  }

  /** An update that was checked; if dice were laid open, with what they prove. @param {Update} update @returns {Promise<Update>} */
  async checked(update) {
    this.#noteTold(update.game);
    const before = update.events[0] === undefined ? update.game.version : update.events[0].version - 1;
    if (this.#game.version < before) {
      try {
        await this.readGame();
      } catch (error) {
        // The seat reads the game again before it sends anything.
        if (error instanceof Unreachable || (error instanceof Refused && error.passing)) return update;
        throw error;
      }
    }
    await this.#check(update);
    const findings = update.events.map(({ version }) => this.#game.provenAt(version));
    return { ...update, proven: findings.findLast((one) => one !== null) ?? null };
  }

  /** Read the whole game from the server, and check it. @returns {Promise<Update>} */
  async readGame() {
    const update = await wholeGame(this.#connection, this.kept.gameId);
    this.#noteTold(update.game);
    await this.#check(update);
    return update;
  }

  /** Remember the latest version, for the next signature. @param {Game | Done} seen */
  noteVersion({ digest, version }) {
    if (version > this.#seen.version) this.#seen = { version, digest };
  }

  /** What all events so far prove about the dice. */
  proven() {
    this.#checkNotFalse();
    return this.#game.proven();
  }

  /** Roll for as long as the game waits for it. @param {CarryOut} carryOut */
  async roll(carryOut) {
    // What a move of this seat did comes over the stream, and this is called again then. To read it would read the game for each move.
    await this.#catchUp(this.#told);
    // A roll that the server has confirmed is not sent again, although its event may still be on its way.
    for (let number = this.#game.rollDue; number !== null && number > this.#rolled; number = this.#game.rollDue) {
      const request = { requestId: newRequestId(), gameId: this.kept.gameId, link: NO_LINK };
      try {
        await this.moved({ method: "Roll", request }, carryOut);
        this.#rolled = number;
      } catch (error) {
        if (!(error instanceof Refused) || error.passing) throw error;
        // The game may have moved on, or another client has rolled for this seat. Otherwise it is serious.
        await this.readGame();
        if (this.#game.rollDue === number) throw error;
      }
    }
  }

  /** What a move did; the seat adds the link and the signature before it sends the move. @param {Move} move @param {CarryOut} carryOut */
  async moved(move, carryOut) {
    for (let tries = 1; ; tries += 1) {
      try {
        // The move stays as it is: each try gets a link and a signature for the game as it stands then.
        const done = await carryOut(await this.#completed(structuredClone(move)));
        this.noteVersion(done);
        return done;
      } catch (error) {
        // A signature holds for one version of the game, so somebody else's move makes it stale. But the server may know the
        // link of a reroll that it refused, so a reroll has no second try.
        const stale = error instanceof Refused && error.reason === "SIGNATURE_STALE";
        if (!stale || rerollOf(move) !== null || tries === SIGNINGS_MAX) throw error;
        await this.readGame();
        move.request.requestId = newRequestId();
      }
    }
  }

  /** A move with the link and the signature that it needs; a link that the caller gave stays. @param {Move} move */
  async #completed(move) {
    this.#checkNotFalse();
    const reroll = rerollOf(move);
    if (move.method === "Roll" && move.request.link.length === 0) {
      await this.#catchUp();
      const number = this.#game.rollDue;
      move.request.link = number === null ? NO_LINK : await this.#revealed(number);
    } else if (reroll !== null && reroll.link.length === 0) {
      reroll.link = await this.#linkToReroll(move);
    }
    if (this.#signer !== null) {
      await this.#catchUp();
      const { seat } = this.#game;
      if (seat !== null) move.request.signature = await this.#signer.signature(move, this.kept.gameId, seat, this.#seen);
    }
    return move;
  }

  /** The link for a reroll; none if the server has to refuse the move anyway, so that it does not cost a link. @param {Move} move */
  async #linkToReroll(move) {
    // Always, not only if an event is missing: the latest state decides whether the link may leave.
    let game;
    do ({ game } = await this.readGame());
    while (game.version < this.#game.version);
    const { course, seat } = this.#game;
    const number = course.linkNumber;
    if (seat === null || number === null || !isWorthItsLink(move, game, course, seat)) return NO_LINK;
    return this.#revealed(number, { forReroll: true });
  }

  /** The link with this number, once it is kept that it leaves. @param {number} number */
  #revealed(number, { forReroll = false } = {}) {
    return this.#turns.take(() =>
      this.#rememberingFalseServer(async () => {
        const link = this.#linkOf(number);
        this.#checkNumber(number);
        if (forReroll) this.#checkNoneLost(this.#sent);
        const told = toBase64(this.#game.diceHash);
        const sent = { number, version: this.#game.version, told };
        // Another page or program of the same seat may have sent a link that this one does not know of.
        const before = await this.#note(sent);
        if (before !== null && (this.#sent === null || isHigher(before, this.#sent))) this.#sent = before;
        if (this.#sent === null || isHigher(sent, this.#sent)) this.#sent = sent;
        if (forReroll) this.#checkNoneLost(before);
        else if (before !== null && before.number > number) throw keptBack("SEAT_BEHIND", "Another program of this seat is ahead of this one.");
        return link;
      }),
    );
  }

  /** A link above that of the round's roll left for a reroll. If no reroll was made with it, the server sits on it. @param {Sent | null} sent */
  #checkNoneLost(sent) {
    const lost = sent !== null && sent.number > this.#game.course.call && !this.#game.rerolledWith(this.#linkOf(sent.number));
    if (!lost) return;
    const sentence = "A reroll of this round was refused or not answered, so its link may be known; reroll in the next one.";
    throw keptBack("REROLL_KEPT_BACK", sentence);
  }

  /** Numbers only rise, and no link leaves before the game has come as far as it was for the last one. @param {number} number */
  #checkNumber(number) {
    const sent = this.#sent;
    // A link that left already may leave again: the first answer was lost, and the server learns nothing new.
    if (sent === null || number === sent.number) return;
    if (number < sent.number) {
      throw new FalseServer(this.kept.gameId, `it calls for link ${number} after link ${sent.number} was sent`);
    }
    if (this.#game.version < sent.version) {
      throw new FalseServer(this.kept.gameId, `it calls for link ${number} before link ${sent.number}, which was sent`);
    }
  }

  /** @param {number} number */
  #linkOf(number) {
    if (number > this.#chain.length) {
      throw new FalseServer(this.kept.gameId, `it calls for link ${number} of a chain of ${this.#chain.length}`);
    }
    return this.#chain.link(number);
  }

  /** Read the game if the client has checked it only up to an earlier version than this; otherwise than the latest it has seen. */
  async #catchUp(version = this.#seen.version) {
    this.#checkNotFalse();
    if (this.#game.version === 0 || this.#game.version < version) await this.readGame();
  }

  /** @param {Game} game */
  #noteTold(game) {
    this.noteVersion(game);
    this.#told = Math.max(this.#told, game.version);
  }

  /** @param {Update} update */
  #check({ events, game }) {
    return this.#turns.take(() =>
      this.#rememberingFalseServer(async () => {
        await this.#game.add(events);
        this.#game.compare(game, events);
      }),
    );
  }

  #checkNotFalse() {
    if (this.#false !== null) throw this.#false;
  }

  /** Remember that the server was found false, so that it gets nothing more. @template Result @param {() => Promise<Result>} work */
  async #rememberingFalseServer(work) {
    this.#checkNotFalse();
    try {
      return await work();
    } catch (error) {
      if (error instanceof FalseServer) this.#false = error;
      throw error;
    }
  }
}

/** @param {string} reason @param {string} sentence */
function keptBack(reason, sentence) {
  return new KeptBack("failed_precondition", sentence, { reason });
}
