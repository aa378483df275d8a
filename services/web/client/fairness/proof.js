/**
 * The proof of a game's dice: every link leads to what its owner committed to, and every die follows from the links.
 *
 * `Course` has checked before that an event can come now and has the right numbers; here is what needs hashing.
 */

/** @import {Bytes} from "../bytes.js" */
/** @import {CupsLifted, DiceDealt, DiceRerolled, Findings, Hand, Happening, OpeningDiceRolled, RevealedDeal} from "../messages/types.js" */
/** @import {Course} from "./course.js" */
/** @import {SeatLink} from "./derivation.js" */
import { same } from "../bytes.js";
import { FollowedChain } from "./chain.js";
import { alike, expect } from "./contradiction.js";
import { dealKey, drawn, firstTranscript, handOf, nextTranscript } from "./derivation.js";

/**
 * A deal that waits for the server's link.
 * @typedef {object} SecretDeal
 * @property {DiceDealt | DiceRerolled} event
 * @property {number} number that of the links it is made of
 * @property {Bytes} transcript
 * @property {SeatLink[]} links
 */

export class Proof {
  #course;
  /** @type {FollowedChain | null} */
  #server = null;
  /** @type {FollowedChain[]} */
  #chains = [];
  /** @type {Bytes} */
  #transcript = new Uint8Array();
  /** The links of the running call. @type {SeatLink[]} */
  #links = [];
  /** @type {SecretDeal[]} */
  #deals = [];
  #proven = { links: 0, serverLinks: 0, deals: 0, dice: 0 };

  /** @param {Course} course which has followed each event before */
  constructor(course) {
    this.#course = course;
  }

  /** What all events so far prove. @returns {Findings} */
  findings() {
    const heldByServer = this.#course.joined.flatMap((player, seat) => (player.chainHeldBy === "server" ? [seat] : []));
    return { ...this.#proven, unrevealed: this.#deals.length, heldByServer };
  }

  /** Go on with an event. @param {Happening} event */
  async follow(event) {
    switch (event.type) {
      case "GameStarted":
        return this.#commit();
      case "RollCalled":
        this.#links = [];
        return;
      case "Rolled":
        await this.#checkLink(event.seat, event.link, this.#course.call);
        // In seat order, in which they make the dice.
        this.#links = [...this.#links, /** @type {SeatLink} */ ([event.seat, event.link])].sort(([one], [other]) => one - other);
        return;
      case "OpeningDiceRolled":
        return this.#openingDiceRolled(event);
      case "RoundStarted":
        this.#deals = [];
        return;
      case "DiceDealt":
        return this.#deal(event, this.#course.call, this.#links);
      case "DiceRerolled":
        return this.#rerolled(event);
      case "CupsLifted":
        return this.#cupsLifted(event);
    }
  }

  async #commit() {
    const { fairness, gameId } = this.#course.created;
    const anchors = this.#course.joined.map((player) => player.anchor);
    this.#server = new FollowedChain(gameId, fairness.serverAnchor, fairness.chainLength);
    this.#chains = anchors.map((anchor) => new FollowedChain(gameId, anchor, fairness.chainLength));
    this.#transcript = await firstTranscript(gameId, fairness.serverAnchor, anchors);
  }

  /** @param {OpeningDiceRolled} event */
  async #openingDiceRolled({ rolls, serverLink }) {
    const { book, call, called, created } = this.#course;
    await this.#checkLink(null, serverLink, call);
    const key = await dealKey(await this.#salt(call, this.#links), call, serverLink, this.#links);
    if (book.openingRoll === null) {
      this.#course.openerDrawn(await drawn(key, called));
      this.#proven.deals += 1;
      return;
    }
    const count = book.openingRoll.dice ?? this.#course.counts[0] ?? created.options.diceEach ?? 0;
    const hands = await Promise.all(called.map((seat) => handOf(key, seat, count)));
    this.#checkDeal(rolls.map(({ dice }) => dice), hands);
  }

  /** @param {DiceRerolled} event */
  async #rerolled(event) {
    const number = this.#course.call + this.#deals.length;
    await this.#checkLink(event.seat, event.link, number);
    await this.#deal(event, number, [[event.seat, event.link]]);
  }

  /** @param {DiceDealt | DiceRerolled} event @param {number} number @param {SeatLink[]} links */
  async #deal(event, number, links) {
    this.#deals.push({ event, number, transcript: await this.#salt(number, links), links });
  }

  /** @param {CupsLifted} event */
  async #cupsLifted({ deals, dice }) {
    const hidden = this.#course.counts.map((count) => /** @type {Hand} */ (Array(count).fill(0)));
    const shown = this.#course.counts.map(() => /** @type {Hand} */ ([]));
    for (const [index, deal] of this.#deals.entries()) {
      await this.#layOpen(deal, /** @type {RevealedDeal} */ (deals[index]), hidden, shown);
    }
    const lay = hidden.map((hand, seat) => [...(shown[seat] ?? []), ...hand]);
    expect(alike(dice, lay), `The links and the shown dice make ${handsText(lay)}.`);
    this.#deals = [];
  }

  /** Put the dice of a deal under the cups. @param {SecretDeal} deal @param {RevealedDeal} revealed @param {Hand[]} hidden @param {Hand[]} shown */
  async #layOpen(deal, revealed, hidden, shown) {
    const { event, links, number, transcript } = deal;
    if (event.type === "DiceRerolled") {
      const left = without(hidden[event.seat] ?? [], event.shown);
      expect(left !== null, "It showed dice that did not lie under its cup.", event.seat);
      shown[event.seat]?.push(...event.shown);
      hidden[event.seat] = left;
    }
    await this.#checkLink(null, revealed.serverLink, number);
    const key = await dealKey(transcript, number, revealed.serverLink, links);
    const seats = event.type === "DiceRerolled" ? [event.seat] : [...hidden.keys()];
    for (const seat of seats) hidden[seat] = await handOf(key, seat, hidden[seat]?.length ?? 0);
    const hands = seats.map((seat) => hidden[seat] ?? []);
    expect(agrees(event, revealed.serverLink, hands), "The deal itself showed something else.");
    this.#checkDeal(revealed.hands, hands);
  }

  /** The transcript for a deal; its links become part of the transcript for the next. @param {number} number @param {SeatLink[]} links */
  async #salt(number, links) {
    const salt = this.#transcript;
    this.#transcript = await nextTranscript(salt, number, links);
    return salt;
  }

  /** @param {number | null} seat null for the server @param {Bytes} link @param {number} number */
  async #checkLink(seat, link, number) {
    const chain = seat === null ? this.#server : this.#chains[seat];
    const problem = chain ? await chain.problemWith(link, number) : "belongs to nobody";
    expect(problem === null, `The link ${problem}.`, seat);
    this.#proven[seat === null ? "serverLinks" : "links"] += 1;
  }

  /** @param {(Hand | null)[]} told @param {Hand[]} hands as the links make them */
  #checkDeal(told, hands) {
    expect(alike(told, hands), `The links make ${handsText(hands)}.`);
    this.#proven.deals += 1;
    this.#proven.dice += hands.reduce((sum, hand) => sum + hand.length, 0);
  }
}

/** Whether what the viewer saw at a deal agrees with what the links make; what was hidden from the viewer always does.
 * @param {DiceDealt | DiceRerolled} event @param {Bytes} link @param {Hand[]} hands */
function agrees(event, link, hands) {
  const told = event.type === "DiceRerolled" ? [event.hand] : event.hands;
  const sameHands = told.every((hand, index) => hand === null || alike(hand, hands[index]));
  return sameHands && (event.serverLink === null || same(event.serverLink, link));
}

/** Dice without some of them; null if those are not among them. @param {Hand} dice @param {Hand} taken */
function without(dice, taken) {
  const left = [...dice];
  for (const face of taken) {
    const index = left.indexOf(face);
    if (index < 0) return null;
    left.splice(index, 1);
  }
  return left;
}

/** @param {Hand[]} hands */
function handsText(hands) {
  return hands.map((dice) => dice.join(" ") || "-").join(" | ") || "no dice";
}
