/**
 * What the server says, as values: the messages of `proto/liarsdice/v1` with all fields there, numbers as numbers, bytes as
 * bytes, times as milliseconds since 1970, and enums in small letters. What is not set is null.
 */

/** @import {Bytes} from "../bytes.js" */

/** @typedef {"gathering" | "choosing_opener" | "rolling" | "bidding" | "settling" | "ended"} Phase */
/** @typedef {"human" | "bot"} Kind */
/** @typedef {"player" | "server"} ChainHolder */
/** @typedef {"quantity_or_face" | "same_face_or_higher_face" | "beat_the_higher_number"} RaiseRule */
/** @typedef {"forfeit" | "challenge" | "lowest_bid"} OnTimeout */
/** @typedef {number[]} Hand the faces of dice */

/**
 * @typedef {object} Options
 * @property {boolean} chips
 * @property {boolean} wildAces
 * @property {RaiseRule | null} raiseRule
 * @property {number | null} diceEach
 * @property {number | null} opener
 * @property {number | null} turnSeconds
 * @property {OnTimeout | null} onTimeout
 */

/** @typedef {{quantity: number, face: number}} Bid */
/** @typedef {{seat: number, quantity: number, face: number}} PlacedBid */
/** @typedef {{number: number, opener: number, palafico: boolean}} Round */
/** @typedef {{seat: number, penalty: number, lost: number}} Loss */
/** @typedef {{bid: PlacedBid | null, challenger: number, actual: number, winner: number, losses: Loss[]}} Settlement */
/** @typedef {{number: number, dice: Hand[], settlement: Settlement | null}} Reveal */

/**
 * @typedef {object} SeatView
 * @property {number} seat
 * @property {string} playerId
 * @property {string} name
 * @property {Kind | null} kind
 * @property {ChainHolder | null} chainHeldBy
 * @property {number} diceCount
 * @property {number} hiddenCount
 * @property {Hand | null} hidden the dice under the cup, if they are the viewer's own
 * @property {Hand} shown
 * @property {number | null} chips
 * @property {boolean} out
 */

/**
 * @typedef {object} LegalMoves
 * @property {boolean} leave
 * @property {boolean} start
 * @property {boolean} roll
 * @property {Bid[]} lowestBids the lowest legal bid of each face; any higher quantity of that face is legal too
 * @property {boolean} challenge
 * @property {number} showMax
 * @property {boolean} showNow
 * @property {boolean} forfeit
 */

/**
 * @typedef {object} GameView
 * @property {number | null} viewer the viewer's seat; null for a spectator
 * @property {string} gameId
 * @property {string} rulebook
 * @property {number} rulebookVersion
 * @property {Options} options
 * @property {string} wildName
 * @property {Phase | null} phase
 * @property {SeatView[]} seats
 * @property {Round | null} round
 * @property {PlacedBid[]} bids
 * @property {number[]} waiting
 * @property {number | null} since
 * @property {boolean} rerolled
 * @property {number} roundPot
 * @property {number} gamePot
 * @property {Reveal | null} lastRound
 * @property {number | null} winner
 * @property {number[][]} places
 * @property {string | null} abandoned
 * @property {LegalMoves} moves
 */

/**
 * @typedef {object} Game
 * @property {GameView} view
 * @property {number} version
 * @property {string} ownerId
 * @property {boolean} private
 * @property {string} invitationCode
 * @property {number} seatsMax
 * @property {number} spectatorDelaySeconds
 * @property {number[]} connected
 * @property {number | null} due
 * @property {number} linkNumber
 * @property {number} chainLength
 * @property {string} rematchOf
 * @property {string} rematchId
 * @property {Bytes} digest
 * @property {string} forkedFrom
 * @property {number} forkedVersion
 */

/**
 * @typedef {object} GameSummary
 * @property {string} gameId
 * @property {string} rulebook
 * @property {Phase | null} phase
 * @property {string[]} players
 * @property {number} seatsMax
 * @property {number | null} created
 * @property {string} ownerId
 * @property {number | null} turnSeconds
 * @property {boolean} private
 * @property {string} forkedFrom
 */

/**
 * @typedef {object} Rulebook
 * @property {string} id
 * @property {number} version
 * @property {string} title
 * @property {number} playersMin
 * @property {number} playersMax
 * @property {string} wildName
 * @property {boolean} wild
 * @property {boolean} showAndReroll
 * @property {boolean} chips
 * @property {boolean} wildAces
 * @property {RaiseRule[]} raiseRules
 * @property {boolean} openerNamed
 */

/** @typedef {{version: number, chainLength: number, serverAnchor: Bytes}} Fairness */
/** @typedef {{serverLink: Bytes, hands: (Hand | null)[], rerollOf: number | null}} RevealedDeal */

/** @typedef {{type: "GameCreated", gameId: string, rulebook: string, rulebookVersion: number, options: Options, seats: number, fairness: Fairness}} GameCreated */
/** @typedef {{type: "PlayerJoined", seat: number, playerId: string, name: string, kind: Kind | null, anchor: Bytes, chainHeldBy: ChainHolder | null, signingKey: Bytes | null}} PlayerJoined */
/** @typedef {{type: "PlayerLeft", seat: number}} PlayerLeft */
/** @typedef {{type: "GameStarted", diceEach: number, chipsEach: number | null}} GameStarted */
/** @typedef {{type: "RollCalled", seats: number[], call: number, calls: number}} RollCalled */
/** @typedef {{type: "Rolled", seat: number, link: Bytes}} Rolled */
/** @typedef {{type: "OpeningDiceRolled", serverLink: Bytes, rolls: {seat: number, dice: Hand}[]}} OpeningDiceRolled */
/** @typedef {{type: "OpenerChosen", seat: number, how: "named" | "drawn" | "rolled" | null}} OpenerChosen */
/** @typedef {{type: "RoundStarted", number: number, opener: number, palafico: boolean, diceCounts: number[]}} RoundStarted */
/** @typedef {{type: "AntesPaid", antes: {seat: number, roundPot: number, gamePot: number}[]}} AntesPaid */
/** @typedef {{type: "DiceDealt", serverLink: Bytes | null, hands: (Hand | null)[]}} DiceDealt */
/** @typedef {{type: "BidPlaced", seat: number, quantity: number, face: number}} BidPlaced */
/** @typedef {{type: "DiceRerolled", seat: number, shown: Hand, rerolled: number, link: Bytes, serverLink: Bytes | null, hand: Hand | null}} DiceRerolled */
/** @typedef {{type: "BidChallenged", seat: number, bid: PlacedBid | null}} BidChallenged */
/** @typedef {{type: "CupsLifted", deals: RevealedDeal[], dice: (Hand | null)[]}} CupsLifted */
/** @typedef {{type: "ChallengeResolved", bid: PlacedBid | null, challenger: number, actual: number, counts: {seat: number, natural: number, wild: number}[], winner: number}} ChallengeResolved */
/** @typedef {{type: "DiceLost", seat: number, penalty: number, lost: number}} DiceLost */
/** @typedef {{type: "PlayersEliminated", seats: number[], place: number}} PlayersEliminated */
/** @typedef {{type: "PotWon", seat: number, pot: "round" | "game" | null, chips: number}} PotWon */
/** @typedef {{type: "PlayerForfeited", seat: number, reason: "resigned" | "time" | null, lost: number}} PlayerForfeited */
/** @typedef {{type: "TurnTimedOut", seat: number}} TurnTimedOut */
/** @typedef {{type: "RoundEnded", number: number}} RoundEnded */
/** @typedef {{type: "GameEnded", winner: number, places: number[][], chips: number[] | null}} GameEnded */
/** @typedef {{type: "GameAbandoned", reason: string}} GameAbandoned */
/** @typedef {{type: "Unknown"}} Unknown an event of a kind that only newer clients know */

/**
 * What happened, whatever it is.
 * @typedef {GameCreated | PlayerJoined | PlayerLeft | GameStarted | RollCalled | Rolled | OpeningDiceRolled | OpenerChosen
 *   | RoundStarted | AntesPaid | DiceDealt | BidPlaced | DiceRerolled | BidChallenged | CupsLifted | ChallengeResolved | DiceLost
 *   | PlayersEliminated | PotWon | PlayerForfeited | TurnTimedOut | RoundEnded | GameEnded | GameAbandoned | Unknown} Happening
 */

/** @typedef {Happening & {version: number, at: number | null}} GameEvent an event with its number in the game and its time */

/** @typedef {{playerId: string, name: string, scopes: string[]}} Player */
/** @typedef {{complete: boolean, caughtUpTo: number | null}} Freshness */
/** @typedef {{model: string, freshness: Freshness, percent: number, stopped: boolean}} ModelFreshness */
/** @typedef {{now: number | null, models: ModelFreshness[]}} ServerFreshness */

/**
 * What a command did.
 * @typedef {object} Done
 * @property {number} version
 * @property {GameEvent[]} events
 * @property {boolean} repeatedAnswer whether an earlier try did it, and only the answer was lost
 * @property {Bytes} digest
 * @property {Bytes} receipt what the log's key has signed about this version and digest; empty from servers that give none
 */

/**
 * What a check of the dice has proven.
 * @typedef {object} Findings
 * @property {number} links players' links that are the ones the game asked for
 * @property {number} serverLinks
 * @property {number} deals
 * @property {number} dice
 * @property {number} unrevealed deals of the running round, whose dice are still secret
 * @property {number[]} heldByServer the seats whose chains the server holds: the server knew their links in advance
 */

/**
 * How a game stands, and what happened since the last update.
 * @typedef {object} Update
 * @property {Game} game
 * @property {GameEvent[]} events
 * @property {{seat: number, connected: boolean} | null} came a player came to a seat, or went from it
 * @property {string | null} rematchId a rematch was set up
 * @property {Findings | null} proven when dice are laid open to a client that keeps its chain: what all dice so far prove
 */

export {};
