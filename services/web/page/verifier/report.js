/** What a verification reports: plain data, without any language. `words.en.js` makes sentences of it. */

/** @import {Bid, PlacedBid} from "./bids.js" */
/** @import {CheckName, Values} from "./failure.js" */
/** @import {Forfeit} from "./forfeits.js" */

/**
 * What is known about a statement.
 * - `proven`: it follows from the bundle, whoever made it.
 * - `failed`: it is not so. Nothing after the first check that fails counts.
 * - `not-reached`: a check before it has failed.
 * - `undecided`: this browser can't check it.
 * - `word-of-server`, `word-of-bundle`: somebody says so, and that is all.
 * @typedef {"proven" | "failed" | "not-reached" | "undecided" | "word-of-server" | "word-of-bundle"} Status
 */

/** Statements beside the checks of the format: whose word something is.
 * @typedef {"key" | "witnesses" | "other-signatures" | "chains" | "moves" | "old-events" | "clock" | "abandoned" | "times"} StatementName */

/**
 * @typedef {object} Check
 * @property {CheckName | StatementName} name
 * @property {Status} status
 * @property {string} meaning the key of a sentence
 * @property {Values} values what stands in the blanks of the sentence
 * @property {number | null} version the event at which it failed
 */

/** @typedef {"face" | "wild" | "wild-is-plain" | "another-face" | "not-counted"} Why why a die counts or not */
/** @typedef {{face: number, shown: boolean, counts: boolean, why: Why, clause: string | null}} DieReport */
/** @typedef {{seat: number, dice: DieReport[]}} CupReport */
/** @typedef {{seat: number, penalty: number, lost: number}} Loss */

/**
 * @typedef {object} ChallengeReport
 * @property {PlacedBid} bid
 * @property {number} challenger
 * @property {number} actual
 * @property {{seat: number, natural: number, wild: number}[]} counts
 * @property {number} winner
 * @property {Loss[]} losses
 * @property {number | null} pot the chips that the winner took, in a game that has them
 */

/**
 * A move that the server made because, by its word, the time of a seat was up (R15).
 * @typedef {object} TimeOutReport
 * @property {number} version the event that says so
 * @property {number} round 0 before the first round
 * @property {number} seat
 * @property {number} waited how many milliseconds the clock had run
 * @property {"forfeit" | "challenge" | "bid"} move what the clock did
 * @property {Bid | null} bid
 */

/**
 * @typedef {object} RoundReport
 * @property {number} number
 * @property {number} opener
 * @property {boolean} palafico
 * @property {CupReport[]} dice of the seats that have some; empty if none had fallen
 * @property {"challenge" | "forfeit" | "abandoned"} ending
 * @property {ChallengeReport | null} challenge
 * @property {Forfeit | null} forfeit
 * @property {number[]} eliminated
 * @property {number | null} nextOpener
 * @property {string[]} clauses the rules that decided it
 */

/**
 * @typedef {object} SeatReport
 * @property {number} seat
 * @property {string} playerId
 * @property {string} name
 * @property {"human" | "bot"} kind
 * @property {string} anchor in base64
 * @property {"player" | "server"} chainHeldBy
 * @property {string | null} signingKey in base64; null if the moves are the server's word
 * @property {number} signedMoves
 * @property {number} clockMoves how many the server made because the time was up
 */

/**
 * @typedef {object} KeyReport
 * @property {string} text as it is written down
 * @property {string} name
 * @property {string} id eight hexadecimal digits
 * @property {string} fingerprint 64 hexadecimal digits, which begin with the id
 * @property {boolean} isGiven whether the caller gave it; if not, it is the bundle's own
 */

/**
 * @typedef {object} Report
 * @property {"verified" | "failed" | "undecided"} verdict
 * @property {Check[]} checks the checks of the format in their order, then whose word the rest is
 * @property {string | null} gameId
 * @property {number | null} round the round that the bundle is about; null for the whole game
 * @property {string | null} rulebook
 * @property {SeatReport[]} seats
 * @property {RoundReport[]} rounds all that the bundle has; the last one is the one that it is about
 * @property {ChallengeReport | null} challenge that of the round that the bundle is about
 * @property {TimeOutReport[]} timeOuts all that the bundle has
 * @property {number[][] | null} places in the end, best first
 * @property {string | null} abandoned why the game was ended without a winner
 * @property {{origin: string, size: string, leaf: number} | null} log
 * @property {KeyReport | null} key
 */

/** A round of which nothing is known but how it began.
 * @param {number} number @param {number} opener @param {boolean} palafico @returns {RoundReport} */
export function emptyRound(number, opener, palafico) {
  return {
    ...{ number, opener, palafico, dice: [], ending: "abandoned", challenge: null, forfeit: null },
    ...{ eliminated: [], nextOpener: null, clauses: [] },
  };
}

/** A report that says nothing yet. @returns {Report} */
export function emptyReport() {
  return {
    ...{ verdict: "failed", checks: [], gameId: null, round: null, rulebook: null, seats: [], rounds: [], timeOuts: [], challenge: null },
    ...{ places: null, abandoned: null, log: null, key: null },
  };
}
