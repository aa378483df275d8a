/**
 * The course of a game by its events: who sits where, whose dice are how many, and which link is called for.
 *
 * The client counts for itself. So which move a seat owes, and with which link, is never the server's word: an event that
 * can't come now, or that has another number than the one that is due, is a contradiction. It knows no rule about bids.
 */

/** @import {CupsLifted, DiceDealt, DiceLost, DiceRerolled, GameAbandoned, GameCreated, GameEnded, GameStarted, Hand, Happening,
 *   OpenerChosen, OpeningDiceRolled, PlacedBid, PlayerForfeited, PlayerJoined, PlayerLeft, RollCalled, Rolled, Round,
 *   RoundStarted} from "../messages/types.js" */
/** @import {Book} from "./books.js" */
/** @import {Stage} from "./stages.js" */
import { same } from "../bytes.js";
import { DICE_EACH_MAX, bestRolls, bookOf, callsOfRound, chainLength, diceEachOf } from "./books.js";
import { LINK_LENGTH } from "./chain.js";
import { alike, expect } from "./contradiction.js";
import { VERSION } from "./derivation.js";
import { isFollowed, stageAfter } from "./stages.js";

const GAME_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** @typedef {{hiddenCount: number, hidden: Hand | null, shown: Hand}} Cup what the events say about a cup */

export class Course {
  /** @type {Stage} */
  stage = "nothing";
  /** @type {GameCreated | null} */
  #created = null;
  /** @type {Book | null} */
  #book = null;
  /** The players by their seats. @type {PlayerJoined[]} */
  joined = [];
  /** How many dice each seat has. @type {number[]} */
  counts = [];
  /** @type {OpenerChosen["how"]} */
  #how = "named";
  /** The seats that may open the first round: all at first, then those with the best rolls. @type {number[]} */
  #leaders = [];
  call = 0;
  #nextCall = 1;
  /** The seats that were called to roll. @type {number[]} */
  called = [];
  /** Those of them that have rolled. @type {Set<number>} */
  #rolled = new Set();
  /** @type {Round | null} */
  round = null;
  /** @type {Cup[]} */
  cups = [];
  /** The deals of the round, each with the seat that rerolled, or null. @type {(number | null)[]} */
  deals = [];
  /** @type {PlacedBid[]} */
  bids = [];
  /** Whether the bidder has rerolled since the standing bid. */
  rerolled = false;
  /** What lay under the cups when they were lifted last. @type {{number: number, dice: (Hand | null)[]} | null} */
  lastRound = null;
  /** How it ended. @type {GameEnded | GameAbandoned | null} */
  end = null;

  /** How the game was set up. */
  get created() {
    if (this.#created === null) throw new TypeError("no event of the game is known");
    return this.#created;
  }

  /** The book that it is played by. */
  get book() {
    if (this.#book === null) throw new TypeError("no event of the game is known");
    return this.#book;
  }

  /** The number of the links of the next roll or reroll; null at a stage without either. */
  get linkNumber() {
    if (this.stage === "bidding") return this.call + this.deals.length;
    return this.stage === "choosing" || this.stage === "rolling" ? this.call : null;
  }

  /** The seats that the game waits for. */
  get waiting() {
    if (this.stage === "bidding") return [this.#turn];
    const rolling = this.stage === "choosing" || this.stage === "rolling";
    return rolling ? this.called.filter((seat) => !this.#rolled.has(seat)) : [];
  }

  /** The seats that have dice. */
  get inPlay() {
    return this.counts.flatMap((count, seat) => (count > 0 ? [seat] : []));
  }

  /** Go on with an event. @param {Happening} event */
  follow(event) {
    if (!isFollowed(event.type)) return;
    const stage = stageAfter(this.stage, event.type);
    expect(stage !== undefined, `${event.type} is out of place here.`);
    this.stage = stage;
    this.#take(event);
  }

  /** The links have drawn the first opener. @param {number} seat */
  openerDrawn(seat) {
    this.#leaders = [seat];
  }

  /** @param {Happening} event */
  #take(event) {
    switch (event.type) {
      case "GameCreated":
        return this.#gameCreated(event);
      case "PlayerJoined":
        return this.#playerJoined(event);
      case "PlayerLeft":
        return this.#playerLeft(event);
      case "GameStarted":
        return this.#gameStarted(event);
      case "RollCalled":
        return this.#rollCalled(event);
      case "Rolled":
        return this.#hasRolled(event);
      case "OpeningDiceRolled":
        return this.#openingDiceRolled(event);
      case "OpenerChosen":
        return this.#openerChosen(event);
      case "RoundStarted":
        return this.#roundStarted(event);
      case "DiceDealt":
        return this.#diceDealt(event);
      case "BidPlaced":
        this.bids.push({ seat: event.seat, quantity: event.quantity, face: event.face });
        this.rerolled = false;
        return;
      case "DiceRerolled":
        return this.#diceRerolled(event);
      case "CupsLifted":
        return this.#cupsLifted(event);
      case "DiceLost":
      case "PlayerForfeited":
        return this.#diceTaken(event);
      case "RoundEnded":
        return expect(event.number === this.round?.number, `Round ${this.round?.number} was being played.`);
      case "GameEnded":
        expect(alike(this.inPlay, [event.winner]), "The winner is not the only one with dice.");
        this.end = event;
        return;
      case "GameAbandoned":
        this.end = event;
    }
  }

  /** @param {GameCreated} event */
  #gameCreated(event) {
    const { fairness, options, rulebook, rulebookVersion, seats } = event;
    const book = bookOf(rulebook, rulebookVersion);
    const dice = diceEachOf(options);
    expect(fairness.version === VERSION, `This client does not know version ${fairness.version} of the derivation.`);
    expect(book !== null, `This client does not know version ${rulebookVersion} of the book ${rulebook}.`);
    expect(fairness.serverAnchor.length === LINK_LENGTH && GAME_ID.test(event.gameId), "Its id or anchor is not valid.");
    const fits = seats >= book.playersMin && seats <= book.playersMax && dice >= 1 && dice <= DICE_EACH_MAX;
    expect(fits, `The book has no table with ${seats} seats and ${dice} dice each.`);
    const length = chainLength(book, seats, dice);
    expect(fairness.chainLength === length, `The chains of this table have ${length} links.`);
    this.#created = event;
    this.#book = book;
  }

  /** @param {PlayerJoined} event */
  #playerJoined(event) {
    const { anchor, seat } = event;
    const taken = [this.created.fairness.serverAnchor, ...this.joined.map((player) => player.anchor)];
    expect(anchor.length === LINK_LENGTH, "The anchor is not 32 bytes long.", seat);
    expect(!taken.some((other) => same(other, anchor)), "Another party has committed to the same chain.", seat);
    expect(seat === this.joined.length, `The next seat is ${this.joined.length}.`, seat);
    expect(this.joined.length < this.created.seats, "The table is full.", seat);
    this.joined.push(event);
  }

  /** @param {PlayerLeft} event */
  #playerLeft({ seat }) {
    expect(seat >= 0 && seat < this.joined.length, "Nobody sat there.", seat);
    this.joined.splice(seat, 1);
  }

  /** @param {GameStarted} event */
  #gameStarted({ diceEach }) {
    const can = diceEach === diceEachOf(this.created.options) && this.joined.length >= this.book.playersMin;
    expect(can, "The game can't start with these players and dice.");
    this.counts = this.joined.map(() => diceEach);
    this.#leaders = this.inPlay;
  }

  /** @param {RollCalled} event */
  #rollCalled({ call, calls, seats }) {
    const ofRound = this.stage === "rolling";
    const due = ofRound ? this.inPlay : this.#leaders;
    const aside = ofRound ? callsOfRound(this.book, this.counts) : 1;
    expect(alike(seats, due) && due.length > 1, `The seats to roll were ${due.join(", ")}.`);
    expect(call === this.#nextCall, `The next call has the number ${this.#nextCall}.`);
    expect(calls === aside, `A roll like this sets aside the numbers of ${aside} calls.`);
    this.called = due;
    this.#rolled = new Set();
    this.call = call;
    this.#nextCall = call + aside;
  }

  /** @param {Rolled} event */
  #hasRolled({ seat }) {
    expect(this.waiting.includes(seat), "The game did not wait for its roll.", seat);
    this.#rolled.add(seat);
  }

  /** @param {OpeningDiceRolled} event */
  #openingDiceRolled({ rolls }) {
    this.#expectAllRolled();
    const opening = this.book.openingRoll;
    this.#how = opening === null ? "drawn" : "rolled";
    const rolled = opening === null ? [] : this.called;
    expect(alike(rolls.map(({ seat }) => seat), rolled), "The opening rolls are not of those who rolled.");
    // Who was drawn follows from the links: the proof says it, and until then nobody may open.
    this.#leaders = opening === null ? [] : bestRolls(opening, rolls);
  }

  /** @param {OpenerChosen} event */
  #openerChosen({ how, seat }) {
    expect(how === this.#how, `The opener was ${this.#how}.`);
    expect(how !== "named" || this.book.openingRoll === null, "The opener must be rolled for.");
    const could = this.#leaders.includes(seat) && (how === "named" || this.#leaders.length === 1);
    expect(could, `Only these may open: ${this.#leaders.join(", ")}.`);
    this.#leaders = [seat];
  }

  /** @param {RoundStarted} event */
  #roundStarted({ diceCounts, number, opener, palafico }) {
    const before = this.round?.number ?? 0;
    expect(number === before + 1, `Round ${before} was the one before.`);
    const chosen = before === 0 && this.#leaders.length === 1 ? this.#leaders[0] : opener;
    expect(opener === chosen, `Seat ${chosen} had to open.`);
    expect(alike(diceCounts, this.counts), `The seats had ${this.counts.join(", ")} dice left.`);
    this.round = { number, opener, palafico };
    this.deals = [];
    this.bids = [];
    this.cups = [];
    this.rerolled = false;
  }

  /** @param {DiceDealt} event */
  #diceDealt({ hands }) {
    this.#expectAllRolled();
    expect(hands.length === 0 || hands.length === this.counts.length, "The deal has other seats than the table.");
    this.cups = this.counts.map((hiddenCount, seat) => ({ hiddenCount, hidden: hands[seat] ?? null, shown: [] }));
    this.deals = [null];
  }

  /** @param {DiceRerolled} event */
  #diceRerolled({ hand, rerolled, seat, shown }) {
    const cup = this.cups[seat];
    expect(cup !== undefined && this.book.rerolls, "It was not allowed to reroll now.", seat);
    expect(this.bids.at(-1)?.seat === seat && !this.rerolled, "It was not allowed to reroll now.", seat);
    expect(this.call + this.deals.length < this.#nextCall, "More rerolls than a round like this can have.", seat);
    const left = cup.hiddenCount - shown.length;
    expect(left > 0 && left === rerolled && shown.length > 0, "It can't have rerolled so many dice.", seat);
    this.cups[seat] = { hiddenCount: rerolled, hidden: hand, shown: [...cup.shown, ...shown] };
    this.deals.push(seat);
    this.rerolled = true;
  }

  /** @param {CupsLifted} event */
  #cupsLifted({ deals, dice }) {
    const opened = deals.map((deal) => deal.rerollOf);
    expect(alike(opened, this.deals), "The revealed deals are not the deals that were made.");
    this.lastRound = { number: this.round?.number ?? 0, dice };
  }

  /** @param {DiceLost | PlayerForfeited} event */
  #diceTaken({ lost, seat, type }) {
    const held = this.counts[seat] ?? 0;
    const could = lost >= 1 && (type === "DiceLost" ? lost <= held : lost === held);
    expect(could, `It had ${held} dice and can't have lost ${lost} in this way.`, seat);
    this.counts[seat] = held - lost;
  }

  /** The seat that opens, raises or challenges next. */
  get #turn() {
    const bidder = this.bids.at(-1)?.seat;
    if (bidder === undefined) return this.round?.opener ?? -1;
    const seats = this.inPlay;
    return seats.find((seat) => seat > bidder) ?? seats[0] ?? -1;
  }

  #expectAllRolled() {
    const missing = this.called.filter((seat) => !this.#rolled.has(seat));
    expect(missing.length === 0, `Seats ${missing.join(", ")} had not rolled yet.`);
  }
}
