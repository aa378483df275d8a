/** The events that can come at each stage of a game and matter to the dice, and the stage that each leads to. */

/** @import {Happening, Phase} from "../messages/types.js" */

/**
 * @typedef {"nothing" | "gathering" | "started" | "choosing" | "opened" | "chosen" | "begun" | "rolling" | "bidding" | "settling"
 *   | "between" | "over"} Stage
 */

/** @type {Record<Stage, {[type in Happening["type"]]?: Stage}>} */
const ORDER = {
  nothing: { GameCreated: "gathering" },
  gathering: { PlayerJoined: "gathering", PlayerLeft: "gathering", GameStarted: "started", GameAbandoned: "over" },
  started: { RollCalled: "choosing", OpenerChosen: "chosen" },
  choosing: { Rolled: "choosing", OpeningDiceRolled: "opened", PlayerForfeited: "between", GameAbandoned: "over" },
  opened: { RollCalled: "choosing", OpenerChosen: "chosen" },
  chosen: { RoundStarted: "begun" },
  begun: { RollCalled: "rolling" },
  rolling: { Rolled: "rolling", DiceDealt: "bidding", PlayerForfeited: "settling", RoundEnded: "between" },
  bidding: { BidPlaced: "bidding", DiceRerolled: "bidding", CupsLifted: "settling" },
  settling: { DiceLost: "settling", PlayerForfeited: "settling", RoundEnded: "between" },
  between: { RoundStarted: "begun", GameEnded: "over", GameAbandoned: "over" },
  over: {},
};

const FOLLOWED = new Set(Object.values(ORDER).flatMap((kinds) => Object.keys(kinds)));

/** The phases, as views name them. @type {Record<Stage, Phase | null>} */
export const PHASES = {
  nothing: null,
  gathering: "gathering",
  started: "choosing_opener",
  choosing: "choosing_opener",
  opened: "choosing_opener",
  chosen: "choosing_opener",
  begun: "rolling",
  rolling: "rolling",
  bidding: "bidding",
  settling: "settling",
  between: "settling",
  over: "ended",
};

/** Whether an event matters to the dice. @param {Happening["type"]} type */
export function isFollowed(type) {
  return FOLLOWED.has(type);
}

/** The stage after an event that matters; undefined if it can't come now. @param {Stage} stage @param {Happening["type"]} type */
export function stageAfter(stage, type) {
  return ORDER[stage][type];
}
