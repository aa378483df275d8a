/** The words of reports in English. A sibling file has the same keys in another language: `words.de.js`, `words.es.js`. */

/** @import {Words} from "./sentence.js" */
import { PAGE } from "./words.en.page.js";
import { CLAUSES, DICE, REASONS } from "./words.en.reasons.js";

/** @type {Words} */
export const ENGLISH = {
  language: "en",
  sentences: {
    "verdict.verified": "Everything in this file fits together.",
    "verdict.failed": "This file does not prove what it says.",
    "verdict.undecided": "This browser can't check the file.",

    "status.proven": "proven",
    "status.failed": "failed",
    "status.not-reached": "not reached",
    "status.undecided": "can't be checked here",
    "status.word-of-server": "the server's word",
    "status.word-of-bundle": "the file's own word",

    "check.form": "Form",
    "check.digests": "Fingerprints",
    "check.commitments": "Sealed dice",
    "check.signatures": "Signatures of moves",
    "check.links": "Links",
    "check.dice": "Dice",
    "check.bids": "Bids",
    "check.outcome": "Ruling",
    "check.leaf": "End",
    "check.inclusion": "Log",
    "check.checkpoint": "Signature of the log",
    "check.receipts": "Receipts of accepted moves",
    "check.key": "Key",
    "check.witnesses": "Witnesses",
    "check.other-signatures": "Other signatures",
    "check.chains": "Who held the chains",
    "check.moves": "Who signed",
    "check.old-events": "Old events",
    "check.clock": "Moves of the clock",
    "check.abandoned": "Abandoned game",
    "check.times": "Times and names",

    "form.proven": { one: "The file is an audit bundle with {count} event.", other: "The file is an audit bundle with {count} events." },
    "digests.proven": "Every event holds the fingerprint of all events before it: none was changed, left out or moved.",
    "commitments.proven": "The dice that the server sealed when they fell are the dice that the cups showed.",
    "signatures.proven": {
      one: "{count} move is signed by its player. Every move that must be signed is.",
      other: "{count} moves are signed by their players. Every move that must be signed is.",
    },
    "links.proven": {
      one: "{count} link leads to its anchor, which was fixed before the game.",
      other: "{count} links lead to the anchors, which were fixed before the game.",
    },
    "dice.proven": { one: "{count} die follows from the links.", other: "All {count} dice follow from the links." },
    "bids.proven": "Every bid and every reroll was made in turn and is legal by the book.",
    "outcome.proven": {
      one: "{count} round was counted again: losses, places, pots and openers are those of the book.",
      other: "{count} rounds were counted again: losses, places, pots and openers are those of the book.",
    },
    "leaf.proven": "The last event ends what the file is about.",
    "inclusion.proven": "That end is entry {leaf} of the {size} in the log.",
    "checkpoint.proven": "The log {origin} is signed with {key}.",
    "receipts.proven": {
      one: "{count} receipt is signed by the log's key, and the bundle has just that event.",
      other: "{count} receipts are signed by the log's key, and the bundle has just these events.",
    },
    "receipts.proven-with-later": "{count} receipts are signed by the log's key and agree with the bundle. {later} of them are for later events, which it does not have.",
    "receipts.proven-in-part": "{count} receipts are signed by the log's key and agree with the bundle; {later} of them are for events after it. {others} are signed by other keys and were not checked.",

    "form.not-reached": "Whether the file is a bundle was not checked.",
    "digests.not-reached": "The fingerprints were not checked.",
    "commitments.not-reached": "What was sealed was not checked to the end.",
    "signatures.not-reached": "The signatures of moves were not checked to the end.",
    "links.not-reached": "The links were not checked to the end.",
    "dice.not-reached": "The dice were not computed to the end.",
    "bids.not-reached": "The bids were not checked to the end.",
    "outcome.not-reached": "The rounds were not counted to the end.",
    "leaf.not-reached": "The end was not checked.",
    "inclusion.not-reached": "The log was not checked.",
    "checkpoint.not-reached": "The signature of the log was not checked.",
    "receipts.not-reached": "The receipts were not checked.",

    "reason.receipts-too-large": "The file of receipts is larger than {max} bytes.",
    "reason.no-receipts-file": "This is no file of receipts.",
    "reason.receipts-of-another-game": "The receipts are for another game.",
    "reason.no-receipt": "Line {number} of the receipts is no receipt.",
    "reason.no-receipt-key": "A further key for receipts is none of a log.",
    "reason.receipt-of-no-tree": "The hashes of the receipt for event {version} lead nowhere.",
    "reason.receipt-not-signed": "The receipt for event {version} is not signed by the key that it names.",
    "reason.receipt-of-another-event": "The server signed a receipt for another event {version} than the one in this bundle. Receipt and bundle together prove to anybody that it lied.",
    "reason.receipt-after-the-end": "The server signed a receipt for event {version}, but the game in this bundle ends before it. Receipt and bundle together prove to anybody that it lied.",

    "key.proven": "The key is the one that you gave.",
    "key.word-of-bundle": "The key was taken from the file itself. Compare it with the one that the operator publishes.",
    "witnesses.proven": { one: "{count} witness has signed the log too.", other: "{count} witnesses have signed the log too." },
    "other-signatures.word-of-bundle": "There are other signatures under the log. They were not checked.",
    "chains.proven": "Every player held their own chain, so the server could choose no die.",
    "chains.word-of-server": {
      one: "The server held the chain of {names}. It adds nothing that the server does not know.",
      other: "The server held the chains of {names}. They add nothing that the server does not know.",
    },
    "moves.proven": "Every player signs, so nobody else made these moves.",
    "moves.word-of-server": {
      one: "{names} signs nothing: these moves are the server's word.",
      other: "{names} sign nothing: their moves are the server's word.",
    },
    "moves.but-the-clocks": {
      one: "Every player signs. {count} move has no signature, because the clock made it.",
      other: "Every player signs. {count} moves have no signatures, because the clock made them.",
    },
    "clock.forfeit": "The clock forfeited for {name} (seat {seat}, round {round}) after {seconds} seconds. That {name} did not move in time is the server's word.",
    "clock.challenge": "The clock challenged for {name} (seat {seat}, round {round}) after {seconds} seconds. That {name} did not move in time is the server's word.",
    "clock.bid": "The clock bid {quantity} × {face} for {name} (seat {seat}, round {round}) after {seconds} seconds. That {name} did not move in time is the server's word.",
    "clock.before-the-first-round": "The clock forfeited for {name} (seat {seat}), before the first round, after {seconds} seconds. That {name} did not roll in time is the server's word.",
    "abandoned.word-of-server": "The game was abandoned ({reason}). That somebody asked for it is the server's word.",
    "abandoned.in-a-round": "The game was abandoned in round {round} ({reason}). That somebody asked for it is the server's word.",
    "old-events.word-of-server": {
      one: "{count} event was stored before there were fingerprints.",
      other: "{count} events were stored before there were fingerprints.",
    },
    "times.word-of-server": "The times and the names of the players are the server's word; it is only proven that times never run backwards. Your own key and anchor only you know: compare them.",

    ...DICE,
    ...REASONS,
    ...CLAUSES,
    ...PAGE,
  },
};
